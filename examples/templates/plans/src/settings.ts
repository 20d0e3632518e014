import { anyText, extensionSettings, required } from 'namewatch';

export class Settings extends extensionSettings({
  file: required('MY_EXTENSION_PLANS', anyText, { about: 'A JSON file of all plans by name; read each minute.' }),
}) {}
