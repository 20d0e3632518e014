import { Processor } from '@nestjs/bullmq';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsNotEmpty, IsString, IsUUID } from 'class-validator';
import { RequestActivity } from '../../kernel/request-activity.js';
import { JobProcessor } from '../../platform/queue/job-processor.js';
import { CHECK_QUEUE } from '../../platform/queue/store-queue.js';
import { CheckDueNames } from './check-due-names.js';

const CONCURRENCY = 25;
/**
 * Applies while this process serves requests: reading a batch and writing its results take milliseconds each, in which
 * a request waits. The other jobs stay in the queue, for other processes too.
 */
const CONCURRENCY_BESIDE_REQUESTS = 1;
const SAMPLE_INTERVAL_MS = 100;

/** A job carries the names and their lease token; everything else is read from PostgreSQL. */
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
  private sampling: NodeJS.Timeout | undefined;

  constructor(
    private readonly checkNames: CheckDueNames,
    private readonly requests: RequestActivity,
  ) {
    super(CheckJob);
  }

  /** Safe to run twice: the first run ends the leases, so the second writes nothing. */
  protected override run(batch: CheckJob): Promise<void> {
    return this.checkNames.run(batch);
  }

  override async onApplicationBootstrap(): Promise<void> {
    this.sampling = setInterval(() => this.adaptConcurrency(), SAMPLE_INTERVAL_MS).unref();
    await super.onApplicationBootstrap();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sampling);
    await super.beforeApplicationShutdown();
  }

  /** Runs before there are jobs: BullMQ fetches as many as it may before it starts the first, and those are lost to others. */
  private adaptConcurrency(): void {
    this.worker.concurrency = this.requests.wasRecentlyActive ? CONCURRENCY_BESIDE_REQUESTS : CONCURRENCY;
  }
}
