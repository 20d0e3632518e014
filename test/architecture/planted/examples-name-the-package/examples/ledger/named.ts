import { defineExtension } from 'namewatch';

export default defineExtension;
