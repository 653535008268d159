-- Of the request that holds the key: only that one stores its run under it.
ALTER TABLE "idempotency_key" ADD COLUMN "token" UUID;
