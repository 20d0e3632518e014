import { Injectable } from '@nestjs/common';
import type { Invitation } from '../domain/member.js';

export interface MadeInvitation {
  readonly invitation: Invitation;
  /** What stands in its link. */
  readonly token: string;
}

/** Resolves with whether a mail relay took it. */
export type SendInvitation = (made: MadeInvitation) => Promise<boolean>;

/** Mails invitations as notifications have registered it. Until then, and on the command line, their links are only shown. */
@Injectable()
export class InvitationMail {
  private sendIt: SendInvitation = () => Promise.resolve(false);

  register(send: SendInvitation): void {
    this.sendIt = send;
  }

  /** Outside of transactions: it waits for a mail relay. */
  send(made: MadeInvitation): Promise<boolean> {
    return this.sendIt(made);
  }
}
