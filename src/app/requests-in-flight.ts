import type { ServerResponse } from 'node:http';

/** Counts the requests that are being answered, so that a shutdown can wait for them. */
export class RequestsInFlight {
  private count = 0;
  private readonly idle = Promise.withResolvers<void>();
  private isClosing = false;

  /** Later requests are not counted: they are refused without any work. */
  add(response: ServerResponse): void {
    if (this.isClosing) return;
    this.count += 1;
    response.once('close', () => {
      this.count -= 1;
      if (this.isClosing && this.count === 0) this.idle.resolve();
    });
  }

  async waitUntilAnswered(): Promise<void> {
    this.isClosing = true;
    if (this.count > 0) await this.idle.promise;
  }
}
