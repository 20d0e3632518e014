/** Every queue: the migration makes in PostgreSQL what each of them needs, which the user who serves could not. */
export const QUEUES = ['checks', 'deliveries'] as const;

export type QueueName = (typeof QUEUES)[number];
