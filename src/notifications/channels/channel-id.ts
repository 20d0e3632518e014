/** The parameter of each path that is about a channel, in the API document. */
export const CHANNEL_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^nc_[0-9a-z]{26}$' },
  description: 'The `id` of a channel: add one, or take one from the list of channels.',
} as const;
