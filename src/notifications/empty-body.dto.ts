/** The body of an operation without fields: unknown fields are rejected, not ignored. */
export class NoFields {}

export const NO_FIELDS_BODIES = { none: { summary: 'No fields', value: {} } };
