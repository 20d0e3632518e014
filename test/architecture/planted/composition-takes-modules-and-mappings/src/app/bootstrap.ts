import { AuthModule } from '../auth/auth.module.js';
import { authenticate } from '../auth/index.js';

export const service = [AuthModule, authenticate];
