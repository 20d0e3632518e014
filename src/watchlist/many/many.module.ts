import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { EntriesModule } from '../entries/entries.module.js';
import { ChangeMany } from './change-many.js';
import { ManyController } from './many.controller.js';

/** Changes or removes all entries that a filter finds. */
@Module({ imports: [AuthModule, EntriesModule], controllers: [ManyController], providers: [ChangeMany] })
export class ManyModule {}
