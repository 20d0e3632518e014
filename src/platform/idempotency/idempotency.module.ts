import { Global, Module } from '@nestjs/common';
import { ForgetReplies } from './forget-replies.js';
import { KeptReplies } from './kept-replies.js';
import { RepeatedRequests } from './repeated-requests.js';

/** For processes that serve the API. */
@Global()
@Module({ providers: [KeptReplies, RepeatedRequests, ForgetReplies], exports: [RepeatedRequests] })
export class IdempotencyModule {}
