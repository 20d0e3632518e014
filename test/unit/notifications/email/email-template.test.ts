import { describe, expect, it } from '@jest/globals';
import { renderEmail } from '../../../../src/notifications/email/email-template.js';

const textOf = (...labels: string[]) =>
  renderEmail({
    headline: 'lapsed.example has other DS records',
    facts: labels.map((label) => ({ label, value: `the ${label}` })),
    footer: [],
    unsubscribe: null,
  }).text;

describe('the list of facts in a plain-text mail', () => {
  it('is aligned in two columns, even if a label is long', () => {
    const text = textOf('Domain', 'Registry statuses before');
    expect(text).toContain('\nDomain                    the Domain\n');
    expect(text).toContain('\nRegistry statuses before  the Registry statuses before\n');
  });

  it('has a narrow first column if all labels are short', () => {
    expect(textOf('Domain')).toContain('\nDomain     the Domain\n');
  });
});
