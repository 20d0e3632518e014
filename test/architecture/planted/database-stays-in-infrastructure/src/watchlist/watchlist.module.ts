import { MikroOrmModule } from '@mikro-orm/nestjs';
import { entries } from './infrastructure/mikro-entries.js';

export const parts = [MikroOrmModule, entries];
