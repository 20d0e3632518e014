import { Injectable } from '@nestjs/common';

/** How a part of the service says that this process can do its work no longer, and that another one might. */
@Injectable()
export class FatalStallSignal {
  private readonly raised = Promise.withResolvers<string>();

  /** Resolves with why, once that was said; whoever started the service then ends it in good order. */
  readonly reason = this.raised.promise;

  raise(reason: string): void {
    this.raised.resolve(reason);
  }
}
