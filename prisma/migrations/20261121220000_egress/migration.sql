-- Hosts that runs of a project may reach; null: all public ones. What a run said besides, without the password of its proxy.
ALTER TABLE "project" ADD COLUMN "egress_allow" JSONB;
ALTER TABLE "run" ADD COLUMN "egress" JSONB;
