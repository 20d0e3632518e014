// Breaks the rule: the command line opens a queue.
import { InjectQueue } from '@nestjs/bullmq';

export const inject = InjectQueue;
