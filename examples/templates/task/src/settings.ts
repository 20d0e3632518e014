import { extensionSettings, required, url } from 'namewatch';

export class Settings extends extensionSettings({
  url: required('MY_EXTENSION_URL', url('http:', 'https:'), { about: 'Gets a POST each minute.' }),
}) {}
