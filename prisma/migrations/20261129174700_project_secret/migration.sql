-- CreateTable
CREATE TABLE "project_secret" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "version" INTEGER NOT NULL DEFAULT 1,
    "sealed" BYTEA NOT NULL,
    "former" BYTEA[] DEFAULT ARRAY[]::BYTEA[],
    "created_by" JSONB,
    "updated_by" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "project_secret_pkey" PRIMARY KEY ("project_id","name")
);

-- AddForeignKey
ALTER TABLE "project_secret" ADD CONSTRAINT "project_secret_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "secret_references" JSONB;
