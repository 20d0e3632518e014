import { Injectable } from '@nestjs/common';

/** Whether this process gets anything done. */
@Injectable()
export class Progress {
  private looks = 0;

  /** Looks were written down. */
  made(): void {
    this.looks += 1;
  }

  /** Whether there was any since the last time that this was asked. */
  takeNote(): boolean {
    const some = this.looks > 0;
    this.looks = 0;
    return some;
  }
}
