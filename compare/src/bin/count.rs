//! Counts allocations and bytes; the report runs this and reads what it prints.

use allocation_counter::measure;
use provstream::ParserBuilder;
use provstream_compare::count::{Counter, print};
use testkit::meter::Meter;

struct Counting;

impl Counter for Counting {
    fn allocations(&mut self, run: &mut dyn FnMut()) -> u64 {
        measure(run).count_total
    }

    fn bytes(&mut self, run: &mut dyn FnMut()) -> usize {
        usize::try_from(measure(run).bytes_current).unwrap_or(0)
    }

    fn at_rest(&mut self, builder: ParserBuilder) -> usize {
        self.most(builder, &mut |push| push(b""))
    }

    fn most(
        &mut self,
        builder: ParserBuilder,
        feed: &mut dyn FnMut(&mut dyn FnMut(&[u8])),
    ) -> usize {
        let mut meter = Meter::new(builder);
        feed(&mut |chunk| meter.push(chunk, "a stream that means to be expensive"));
        meter.finish("a stream that means to be expensive");
        meter.worst
    }
}

fn main() {
    print(&mut Counting);
}
