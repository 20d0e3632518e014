import { describe, expect, it } from '@jest/globals';
import { judgeComments, judgeProse } from '../../../tools/scripts/prose/judge-prose.js';

const rulesOf = (markdown: string) => judgeProse(markdown).map(({ rule }) => rule);
const LONG = `The service ${'very '.repeat(29)}often asks.`;

describe('the check of prose', () => {
  it.each([
    ['Who leaves a group is no member from the next sign-in on.', 'begins with a noun clause'],
    ['It waits. What exceeds them is one message.', 'begins with a noun clause'],
    ['That a session was used is noted every five minutes.', 'begins with a noun clause'],
    ['- Whoever has the address reads the dates.', 'begins with a noun clause'],
    ['The second name is one that a zone delegates.', 'says "one that"'],
    ['Nothing of it is in Redis.', 'ends in "of it" or "by it"'],
    ['Texts are cut by it.', 'ends in "of it" or "by it"'],
    ['[The page](page.md) is to be read.', 'says "is to be"'],
    [LONG, 'has more than 30 words'],
    [`1. Once\n   more: ${LONG.replaceAll(' very', '\n   very')}`, 'has more than 30 words'],
  ])('finds in %j that it %s', (sentence, rule) => {
    expect(rulesOf(sentence)).toEqual([rule]);
  });

  it.each([
    'When someone leaves a group, they lose access at their next sign-in.',
    'What now? That is safe, and one of its rules.',
    '```text\nWho reads of it\n```',
    '| Who | What exceeds it |\n| --- | --- |',
    '## What it makes',
    '- `a`: one, two, three\n- `b`: four',
    `${'The name is free. '.repeat(20)}`,
  ])('leaves %j alone', (markdown) => {
    expect(rulesOf(markdown)).toEqual([]);
  });

  it('says in which line the paragraph begins', () => {
    expect(judgeProse('# Page\n\nIt is short.\n\n- An item.\n- It asks\n  of it.\n')).toEqual([
      { line: 6, rule: 'ends in "of it" or "by it"', sentence: 'It asks of it.' },
    ]);
  });
});

describe('the check of comments', () => {
  it.each([
    ['/** What an entry shows. */', 'begins with a noun clause'],
    ['/**\n * The name.\n * @throws Gone for one that is\n *   gone\n */', 'says "one that"'],
    ['  // The first\n  // half of it.\n  next();', 'ends in "of it" or "by it"'],
    ['next(); // all is to be done', 'says "is to be"'],
    [`/**\n * ${LONG.replaceAll(' very', '\n * very')}\n */`, 'has more than 30 words'],
  ])('finds in %j that it %s', (source, rule) => {
    expect(judgeComments(source).map((fault) => fault.rule)).toEqual([rule]);
  });

  it.each([
    "const text = 'What it says.'; // the name",
    `/**\n * A name.\n *\n *     free ${'──lost──▶ taken '.repeat(20)}\n */`,
    `/** A name. */\n${'next(one);\n'.repeat(40)}/* Another. */`,
    "accept('*/*');\nconst what = /* none */ 'Who reads of it.';",
  ])('leaves %j alone', (source) => {
    expect(judgeComments(source)).toEqual([]);
  });

  it('says in which line the text begins', () => {
    expect(judgeComments('start();\n\n/**\n * A name.\n * Half of it.\n */')).toMatchObject([{ line: 4 }]);
  });
});
