import { Processor } from '@nestjs/bullmq';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsNotEmpty, IsString, IsUUID } from 'class-validator';
import { JobProcessor } from '../../platform/queue/job-processor.js';
import { CHECK_QUEUE } from '../../platform/queue/store-queue.js';
import { CheckDueNames } from './check-due-names.js';

const CONCURRENCY = 25;

/** `token` identifies the leases (locks) of the names. The worker reads everything else from PostgreSQL. */
class CheckJob {
  @IsString() @IsNotEmpty() operator: string;
  @IsUUID() token: string;

  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  @IsNotEmpty({ each: true })
  names: string[];
}

@Processor(CHECK_QUEUE, { concurrency: CONCURRENCY })
export class CheckProcessor extends JobProcessor<CheckJob> {
  constructor(private readonly checkNames: CheckDueNames) {
    super(CheckJob);
  }

  protected override run(batch: CheckJob): Promise<void> {
    return this.checkNames.run(batch);
  }
}
