/** All queues: the migration creates what each needs in PostgreSQL, since the serving user cannot. */
export const QUEUES = ['checks', 'deliveries'] as const;

export type QueueName = (typeof QUEUES)[number];
