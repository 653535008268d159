import { Module } from '@nestjs/common';
import { InvitationsService } from './invitations.service.ts';
import { MembersController } from './members.controller.ts';
import { MembersService } from './members.service.ts';
import { OneTimeLinks } from './one-time-links.ts';
import { PasswordsService } from './passwords.service.ts';
import { SignInModule } from '../auth/sign-in.module.ts';

@Module({
  imports: [SignInModule],
  controllers: [MembersController],
  providers: [MembersService, InvitationsService, PasswordsService, OneTimeLinks],
})
export class MembersModule {}
