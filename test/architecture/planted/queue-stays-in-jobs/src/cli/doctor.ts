// Breaks the rule: the command line opens a queue.
import { Queue } from 'bullmq';

export const queue = Queue;
