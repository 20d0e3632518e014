import { defineExtension } from 'namewatch';
import { GreetingController } from './greeting.controller.js';

declare module 'namewatch' {
  interface Scopes {
    'my-extension:read': true;
  }
}

export default defineExtension({
  name: 'my-extension',
  compatibility: '^1.0.0',
  scopes: ['my-extension:read'],
  controllers: [GreetingController],
});
