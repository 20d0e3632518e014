// Breaks the rule: a request adds a job.
import { Queue } from 'bullmq';

export const queue = Queue;
