-- CreateTable
CREATE TABLE "profile" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "state" BYTEA NOT NULL,
    "size" INTEGER NOT NULL,
    "cookies" INTEGER NOT NULL,
    "cookie_domains" TEXT[],
    "origins" TEXT[],
    "run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "profile_pkey" PRIMARY KEY ("project_id","name")
);

-- AddForeignKey
ALTER TABLE "profile" ADD CONSTRAINT "profile_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;
