/** The schema of a value of a registration record; its kind says which one. The empty list is one of two kinds. */
export const RECORD_VALUE_SCHEMA = {
  anyOf: [
    { type: 'array', items: { type: 'string' }, description: '`nameservers`, `statuses`' },
    {
      type: 'object',
      description: '`registrar`',
      properties: { name: { type: 'string', nullable: true }, iana_id: { type: 'string', nullable: true } },
      required: ['name', 'iana_id'],
      additionalProperties: false,
    },
    {
      type: 'array',
      description: '`ds`',
      items: {
        type: 'object',
        properties: {
          key_tag: { type: 'integer' },
          algorithm: { type: 'integer' },
          digest_type: { type: 'integer' },
          digest: { type: 'string' },
        },
        required: ['key_tag', 'algorithm', 'digest_type', 'digest'],
        additionalProperties: false,
      },
    },
    { type: 'string', format: 'date-time', description: '`last_transfer`' },
  ],
};
