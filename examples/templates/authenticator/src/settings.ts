import { extensionSettings, matching, required } from 'namewatch';

export class Settings extends extensionSettings({
  secret: required('MY_EXTENSION_SECRET', matching('at least 32 characters', /^.{32,}$/), {
    about: 'Signs the sessions; the system that issues them has it too.',
    isSecret: true,
  }),
}) {}
