import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module.js';
import { KeysController } from './http/keys.controller.js';

/** The routes of keys, for processes that serve the API. */
@Module({ imports: [AuthModule], controllers: [KeysController] })
export class AuthApiModule {}
