// Writes the inputs of the pages that are looked at: a hostile answer, a hostile JSON value, and an answer of 10 MB.
//
//   node inputs.mjs TRANSCRIPTS FOLDER
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [transcripts, folder] = process.argv.slice(2);
const note = '[substrate.grep; ts=2026-05-28T11:40:00Z]';

const hostile = [
  '<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>',
  '</style></title></textarea></mark></div></section></main></body></html><!-- --> <![CDATA[ ]]> <?php ?>',
  '" onclick="alert(4)" x=\'y\' `z` style="color:red" &lt;b&gt; &#0; &amp;amp; &notanentity; &#x202e;',
  `It is <b>bold</b> and "quoted". ${note} [substrate.grep; observation-id="\\"><script>alert(5)</script>"; ts=2026-05-28T11:41:00Z]`,
  `A \u202eright-to-left override\u202c and \u2066isolates \u2069\u2069\u2069 and marks \u200e\u200f\u061c. ${note}`,
  'A NUL \0, a bell \x07, an escape \x1b[2J, a C1 \x9b, a lone \r return, a line end\r',
  'Zero \u200bwidth\ufeff, soft\u00adhyphen, line\u2028separator, tags \u{e0041}\u{e0042}\u{e007f}, \ufff9annotation\ufffb',
  `\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd. ${note} \u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645. ${note}`,
  '<'.repeat(2000), '&'.repeat(2000), '\u202e'.repeat(2000), '\0'.repeat(2000), `Z${'\u0301'.repeat(2000)}`,
  '['.repeat(100000), ']'.repeat(100000), `${'[substrate.grep]'.repeat(2000)}`,
  '```', '</code></pre><script>alert(6)</script>', '```', note,
  '| <td> | "|" |', '|---|---|', `| </table> | x ${note} |`,
  '[a](javascript:alert(9)) [b](<JavaScript:alert(10)>) <javascript:alert(11)> ![c](https://a.example/c.png) [d][d]', '', '[d]: data:text/html,x',
  `- a *b ${note}* **c\n- d** [e ${note} f](https://a.example/?"><script>alert(12)</script>)`, `${'>'.repeat(500)} deep`, `${'- '.repeat(500)}deep`,
  '<!-- unclosed', '', '![', '[', '***', '> ```', '> unclosed',
  'javascript:alert(7) data:text/html,<script>alert(8)</script>', 'The end.',
];
writeFileSync(join(folder, 'hostile.in'), hostile.join('\n'));

const value = {
  assertion: '</script><script>alert(1)</script> \u2028 \ufeff "\\',
  provenance: { substrate_class: '"><script>alert(2)</script>', ts: '<b>' },
};
const nested = `{"a":${JSON.stringify(value)},"lone \\ud800":{"assertion":"high \\ud83d low \\ude00 \\u0000 <i>","provenance":` +
  '{"substrate_class":"substrate.grep","observation_id":"\\udfff</ol>","ts":"2026-05-28T11:40:00Z"}}}';
writeFileSync(join(folder, 'hostile-json.in'), nested);

const texts = readdirSync(transcripts).filter((file) => file.endsWith('.txt')).map((file) => readFileSync(join(transcripts, file), 'utf8'));
let long = '';
for (let round = 0; long.length < 10 * 1024 * 1024; round += 1) long += `${texts[round % texts.length]}\n\n`;
writeFileSync(join(folder, 'long.in'), long);
