/** What an operation is sent that takes nothing: what is sent all the same must not vanish unsaid. */
export class NoFields {}

export const NO_FIELDS_BODIES = { none: { summary: 'Nothing to say', value: {} } };
