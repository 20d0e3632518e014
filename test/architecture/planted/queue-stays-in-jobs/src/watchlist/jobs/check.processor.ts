import { WorkerHost } from '@nestjs/bullmq';

export const host = WorkerHost;
