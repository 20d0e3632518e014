/** Describes the parameter `id` of channel paths in the API document. */
export const CHANNEL_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^nc_[0-9a-z]{26}$' },
  description: 'The `id` of a channel: add one, or take one from the list of channels.',
} as const;
