import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { InvitationMail, type MadeInvitation } from '../../../src/auth/members/invitation-mail.js';

Logger.overrideLogger(false);
const made = { invitation: { id: 'inv_1' }, token: 'inv_1.secret' } as MadeInvitation;

describe('the mail of an invitation', () => {
  it('is none until somebody sends it, as on the command line', async () => {
    expect(await new InvitationMail().send(made)).toBe(false);
  });

  it('that cannot be sent does not keep its link from who made it', async () => {
    const mail = new InvitationMail();
    mail.register(() => Promise.reject(new Error('the database is gone')));
    expect(await mail.send(made)).toBe(false);
    mail.register((sent) => Promise.resolve(sent === made));
    expect(await mail.send(made)).toBe(true);
  });
});
