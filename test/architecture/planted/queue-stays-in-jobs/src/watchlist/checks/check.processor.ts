import { Worker } from 'bullmq';

export const worker = Worker;
