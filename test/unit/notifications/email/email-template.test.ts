import { describe, expect, it } from '@jest/globals';
import { renderEmail } from '../../../../src/notifications/email/email-template.js';

const textOf = (...labels: string[]) =>
  renderEmail({
    headline: 'lapsed.example has other DS records',
    facts: labels.map((label) => ({ label, value: `the ${label}` })),
    footer: [],
    unsubscribe: null,
  }).text;

describe('the facts of a text mail', () => {
  it('are in two columns, also where a label is long', () => {
    const text = textOf('Domain', 'Registry statuses before');
    expect(text).toContain('\nDomain                    the Domain\n');
    expect(text).toContain('\nRegistry statuses before  the Registry statuses before\n');
  });

  it('have a narrow first column where all labels are short', () => {
    expect(textOf('Domain')).toContain('\nDomain     the Domain\n');
  });
});
