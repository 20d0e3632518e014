import { Injectable } from '@nestjs/common';

/** Raised when this process can no longer do its work but a restarted one might. */
@Injectable()
export class FatalStallSignal {
  private readonly raised = Promise.withResolvers<string>();

  /** Resolves with the reason; the caller that started the service then shuts it down. */
  readonly reason = this.raised.promise;

  raise(reason: string): void {
    this.raised.resolve(reason);
  }
}
