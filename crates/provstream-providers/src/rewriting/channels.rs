//! The texts of a response.

use core::ops::{Index, IndexMut};

use crate::steps::each;
use crate::text::Text;
use crate::text_id::TextId;

/// The texts of a response. Each has a place until it, or another one, is removed.
#[derive(Clone, Debug)]
pub(crate) struct Texts<R> {
    texts: Vec<Text<R>>,
    /// Sorted by text. Empty as long as there is one text, as in most responses.
    order: Vec<TextIndexEntry>,
    /// Texts that were added so far.
    added: u64,
}

#[derive(Clone, Copy, Debug)]
struct TextIndexEntry {
    id: TextId,
    place: usize,
    /// Texts that were added before it.
    age: u64,
}

impl<R> Default for Texts<R> {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            order: Vec::new(),
            added: 0,
        }
    }
}

impl<R> Texts<R> {
    pub(crate) const fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn first(&self) -> Option<&Text<R>> {
        self.texts.first()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Text<R>] {
        &mut self.texts
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Text<R>> {
        self.texts.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> core::slice::IterMut<'_, Text<R>> {
        self.texts.iter_mut()
    }

    pub(crate) fn clear(&mut self) {
        self.texts.clear();
        self.order.clear();
    }

    /// The place of a text.
    #[inline]
    pub(crate) fn find(&self, id: TextId) -> Option<usize> {
        if let [only] = &*self.texts {
            return (only.id == id).then_some(0);
        }
        let entry = self.entry_of(id).ok()?;
        Some(self.order[entry].place)
    }

    /// The place of a text whose channel has this index.
    pub(crate) fn find_index(&self, index: u32) -> Option<usize> {
        if self.order.is_empty() {
            let mut texts = self.texts.iter();
            return texts.position(|text| text.id.index() == index);
        }
        let first = self.order.partition_point(|entry| entry.id.index() < index);
        let entry = self.order.get(first)?;
        (entry.id.index() == index).then_some(entry.place)
    }

    pub(crate) fn get(&self, id: TextId) -> Option<&Text<R>> {
        self.texts.get(self.find(id)?)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: TextId) -> Option<&mut Text<R>> {
        let place = self.find(id)?;
        self.texts.get_mut(place)
    }

    /// The text at a place, which may not be there any more.
    #[inline]
    pub(crate) fn at_mut(&mut self, place: usize) -> Option<&mut Text<R>> {
        self.texts.get_mut(place)
    }

    /// Adds a text that is not there; gives its place.
    pub(crate) fn add(&mut self, text: Text<R>) -> usize {
        let (place, id, age) = (self.texts.len(), text.id, self.added);
        if place == 0 {
            // Most responses have one.
            self.texts.reserve_exact(1);
        } else {
            if self.order.is_empty() {
                let entry = |(place, text): (usize, &Text<R>)| TextIndexEntry {
                    id: text.id,
                    place,
                    age: place as u64,
                };
                self.order.extend(self.texts.iter().enumerate().map(entry));
            }
            let at = match self.entry_of(id) {
                Ok(at) | Err(at) => at,
            };
            self.order.insert(at, TextIndexEntry { id, place, age });
        }
        self.added += 1;
        self.texts.push(text);
        place
    }

    /// Takes the text at a place out; the last one takes its place.
    pub(crate) fn remove(&mut self, place: usize) -> Text<R> {
        let text = self.texts.swap_remove(place);
        if let Ok(at) = self.entry_of(text.id) {
            self.order.remove(at);
        }
        if let Some(moved) = self.texts.get(place)
            && let Ok(at) = self.entry_of(moved.id)
        {
            self.order[at].place = place;
        }
        text
    }

    /// The place of the oldest text that something is true of.
    pub(crate) fn oldest(&self, is_meant: impl Fn(&Text<R>) -> bool) -> Option<usize> {
        if self.order.is_empty() {
            return self.texts.iter().position(is_meant);
        }
        let meant = each(self.order.iter()).filter(|entry| is_meant(&self.texts[entry.place]));
        let oldest = meant.min_by_key(|entry| entry.age);
        oldest.map(|entry| entry.place)
    }

    fn entry_of(&self, id: TextId) -> Result<usize, usize> {
        self.order.binary_search_by_key(&id, |entry| entry.id)
    }
}

impl<R> Index<usize> for Texts<R> {
    type Output = Text<R>;

    fn index(&self, place: usize) -> &Text<R> {
        &self.texts[place]
    }
}

impl<R> IndexMut<usize> for Texts<R> {
    fn index_mut(&mut self, place: usize) -> &mut Text<R> {
        &mut self.texts[place]
    }
}
