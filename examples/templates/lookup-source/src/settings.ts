import { extensionSettings, listOf, required, url } from 'namewatch';

export class Settings extends extensionSettings({
  url: required('MY_EXTENSION_URL', url('http:', 'https:'), { about: 'Where the server is, with a slash at its end.' }),
  tlds: required(
    'MY_EXTENSION_TLDS',
    listOf('top-level domains', (tld) => /^[a-z0-9-]+$/.test(tld)),
    { about: 'The top-level domains for which it is asked.' },
  ),
}) {}
