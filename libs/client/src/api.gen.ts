/* Generated from the OpenAPI document by scripts/generate-client.ts: do not edit. */

export interface paths {
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description, to read
         * @description In a browser give any user name, and an API key as password.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of the page
         * @description Needs the role `viewer`.
         */
        get: operations["readDocsAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process lives */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description
         * @description Needs the role `viewer`.
         */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether database, Redis and objects answer */
        get: operations["readReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/workflow.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * JSON Schema of workflow files, for editors
         * @description Needs the role `viewer`.
         */
        get: operations["readWorkflowSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/a2ui/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a run and watch it in the same request
         * @description As `POST /v1/runs`, but the answer is the stream of `GET /v1/runs/{run}/a2ui`. The run does not end with the connection: `Location` says where it is watched on.
         *
         *     Needs the role `operator`.
         */
        post: operations["submitRunA2ui"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the project, the newest first
         * @description Needs the role `admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Make an API key
         * @description The key is in this answer and never again; what is stored is its hash.
         *
         *     Needs the role `admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description From now on it opens nothing. A key that was revoked before stays so.
         *
         *     Needs the role `admin`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, the newest first
         * @description What was done in the project, and what its members did in none: signing in and out, and failing to, changing their password, making projects. Runs that keys submit are not in it.
         *
         *     Needs the role `admin`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs that failed because of infrastructure (lost workers, queue timeout), the newest first
         * @description Workers that were lost, leases, time in the queue, unanswered questions: with each run its attempts and how they ended, and the run that was made of it again.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run dead letters again
         * @description Each becomes one new run. One that was run again before is left alone unless `includeRetried` is set.
         *
         *     Needs the role `operator`.
         */
        post: operations["retryDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List fleets with their workers
         * @description Only fleets that serve the project. The numbers are of all that run on the fleet.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listFleets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a fleet
         * @description Only fleets that serve the project. The numbers are of all that run on the fleet.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change how many workers a fleet has
         * @description For all projects that it serves. It holds until the configuration of the fleet says something else than before; a fleet that says `limitsManagedBy` is changed in its configuration alone. Workers that are too many go when they are idle.
         *
         *     Needs the role `admin`.
         */
        patch: operations["updateFleet"];
        trace?: never;
    };
    "/v1/fleets/{fleet}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List why workers came and went, the newest first
         * @description Needs the role `viewer`.
         */
        get: operations["listFleetDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a fleet stood, and why workers came and went
         * @description Looked at every 15 seconds, and kept for a week.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readFleetHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a fleet
         * @description Runs at work go on; no queued run is given to a worker any more, of no project, until the fleet is resumed. New runs are taken in and wait. Pausing a paused fleet changes nothing.
         *
         *     Needs the role `admin`.
         */
        post: operations["pauseFleet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a fleet
         * @description Queued runs go on, in the order they would have had. Resuming a fleet that is not paused changes nothing.
         *
         *     Needs the role `admin`.
         */
        post: operations["resumeFleet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}/workers/{worker}/cordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cordon a worker
         * @description It is given no run any more, and stays, with the runs it has, until it is uncordoned or drained; others are started in its place as far as `maxWorkers` allows. Cordoning a cordoned worker changes nothing.
         *
         *     Needs the role `admin`.
         */
        post: operations["cordonWorker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}/workers/{worker}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drain a worker
         * @description It is given no run any more, finishes those it has, and exits; where the fleet calls for another, that is started. Draining a worker that drains changes nothing.
         *
         *     Needs the role `admin`.
         */
        post: operations["drainWorker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{fleet}/workers/{worker}/uncordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uncordon a worker
         * @description It takes runs again. Uncordoning a worker that is not cordoned changes nothing.
         *
         *     Needs the role `admin`.
         */
        post: operations["uncordonWorker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending invitations, newest first
         * @description Needs the role `admin`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a user to the project
         * @description Answers with a link that is good once. Nothing is sent: hand it over. A new invitation of the same address takes the place of the last.
         *
         *     Needs the role `admin`.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{invitation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take an invitation back
         * @description Needs the role `admin`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Become a member, with a link
         * @description Who is new gives a name and chooses a password; who has an account gives its password. The user is signed in.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read to what a link invites */
        post: operations["lookUpInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who the key or the session says you are
         * @description Needs the role `viewer`.
         */
        get: operations["readMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the project, in the order in which they came
         * @description Needs the role `admin`.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description All sessions of the user end. Who is member of no project any more is gone. The last admin of a project stays.
         *
         *     Needs the role `admin`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Counts from the next request of the user. The last admin of a project stays one.
         *
         *     Needs the role `admin`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/members/{user}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link with which a member sets a new password
         * @description Good once, for a day; a new link takes the place of the last. Only for who is admin of every project that the user is member of: the link opens them all.
         *
         *     Needs the role `admin`.
         */
        post: operations["createPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say where models can be asked, and which are asked where a project says nothing
         * @description Neither addresses nor keys are said. Which models an endpoint has its provider knows.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/objects/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an object by a signed URL
         * @description The signature in the query is the authorisation: no key is asked for. Take the URL as it was given; it expires.
         */
        get: operations["readObject"];
        /**
         * Send an object by a signed URL, once
         * @description The signature in the query is the authorisation: no key is asked for. Take the URL as it was given; it expires. A second request to the same URL is refused: what is stored is never replaced.
         */
        put: operations["writeObject"];
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Look at an object by a signed URL
         * @description The signature in the query is the authorisation: no key is asked for. Take the URL as it was given; it expires.
         */
        head: operations["headObject"];
        patch?: never;
        trace?: never;
    };
    "/v1/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password, with a link
         * @description The user is signed in here, and every other session of the user ends.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the profiles of the project, by name
         * @description A profile is cookies and storage that runs begin with (`browser.profile`). No value is ever answered.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/profiles/{profile}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Import a profile, in place of the one of this name
         * @description The body is a `storageState` of Playwright, e.g. of `npx playwright codegen --save-storage=FILE`. Of it cookies, local storage and IndexedDB are kept; passkeys are not.
         *
         *     Needs the role `operator`.
         */
        put: operations["importProfile"];
        post?: never;
        /**
         * Delete a profile
         * @description Runs that begin from now on find none; those at work keep what they began with.
         *
         *     Needs the role `operator`.
         */
        delete: operations["deleteProfile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a project
         * @description Only for who is admin of a project. The user becomes admin of the new one; it keeps what the installation says of new projects.
         *
         *     Needs a session.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the project of the key
         * @description Its limit, how long it keeps what, where its runs may go, how much of which site they take, which models they ask, what they may use up and took this month, and how many runs it has by status.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the name or the limit of the project, how long it keeps what, where its runs may go, how much of a site they take, which models they ask, or what they may use up
         * @description A raised limit lets waiting runs go on at once; a lowered one lets those at work go on to their end. A changed list of hosts, and a site that had no limit, hold for every attempt that begins after it; other models are asked at once. Budgets of a run count for runs that are submitted after it, the budget of a month for the next call of a model. What is no longer kept is removed within the hour: see `POST /v1/retention/runs`, which also says before what would go.
         *
         *     Needs the role `admin`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v1/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List proposed versions of workflows, the newest first
         * @description Needs the role `viewer`.
         */
        get: operations["listProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proposals/{proposal}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a proposal, with what it changes
         * @description Needs the role `viewer`.
         */
        get: operations["readProposal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proposals/{proposal}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the proposed version
         * @description Answers 409 when it is decided, when another version was published meanwhile, and, without `skipVerification`, while its verification is running or after it failed. What could not be tried is published on this word alone, or with `verifyFirst` after a replay: the answer is the proposal, still open, with the run that tries it; it is published when that completes without a call to a model but by its goals, and with nothing healed. What has passed already is published at once.
         *
         *     Needs the role `admin`.
         */
        post: operations["publishProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proposals/{proposal}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a proposal
         * @description The version stays a draft. The same repair of the same version is not proposed again.
         *
         *     Needs the role `admin`.
         */
        post: operations["rejectProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what waits and what is at work, fleet by fleet
         * @description Only fleets that serve the project. Other projects are only in the sums.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retention/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove what the project no longer keeps, or count it
         * @description By `retention` of the project: files of runs first, then events and steps, then whole runs, then uploads that are older than runs are kept and that no run names. A run that has not ended is never touched. The same happens every hour by itself.
         *
         *     Needs the role `admin`.
         */
        post: operations["runRetention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs, the newest first
         * @description Needs the role `viewer`.
         */
        get: operations["listRuns"];
        put?: never;
        /**
         * Submit a run
         * @description Runs a workflow of the project, a definition, a list of steps, or a goal. Inputs are validated before the run is queued. Send an `Idempotency-Key` to make retries of the request safe.
         *
         *     Needs the role `operator`.
         */
        post: operations["createRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run
         * @description With `wait`, responds when the run has ended, or after that number of seconds.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/a2ui": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a run as a user interface
         * @description The steps of a run, what it asks and how it ends, as messages of [A2UI](https://a2ui.org) for any of its renderers, from the first event on. A connection that broke goes on with `Last-Event-ID`, on the surface that is there; without it everything is told anew, for a fresh surface. Asked again after the end, the stream answers 204.
         *
         *     Needs the role `viewer`.
         */
        get: operations["streamRunA2ui"];
        put?: never;
        /**
         * Pass on what a person did on the surface of a run
         * @description A message of a renderer: `action` (0.9) or `userAction` (0.8), named `answer`, `complete` or `cancel`. It must be of the surface of this run, and an answer of the question that is open.
         *
         *     Needs the role `operator`.
         */
        post: operations["sendA2uiMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer the question of a run
         * @description Only for a run in `awaiting_user`; its `question` has the possible answers. The run continues immediately, or through the queue if its slot was released.
         *
         *     Needs the role `operator`.
         */
        post: operations["answerRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a run
         * @description Screenshots, downloads and data, each with a signed URL that is valid for 15 minutes without a key.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listRunArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description A queued run ends immediately, a running one as soon as its worker receives the request.
         *
         *     Needs the role `operator`.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/compile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn what an agent did into a workflow
         * @description Each goal of a completed run becomes the steps that reached it; the workflow needs no model. It is kept as a version, a draft. Answers 409 for a run that has not completed or has no goal, and where what was done cannot be done again without a model; 410 once the project no longer keeps the events of the run.
         *
         *     Needs the role `operator`.
         */
        post: operations["compileRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a run that waits for a person
         * @description Marks the run as completed, without an output: a person did the rest.
         *
         *     Needs the role `operator`.
         */
        post: operations["completeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take manual control of a run
         * @description The run pauses before its next step or agent turn, or in a step that only waits, and is `awaiting_user` while you operate its browser. Only one person has control: others get 409 with the name of the operator. A repeated request of the operator keeps the token and restarts the idle time. Control is released after a minute without input.
         *
         *     Needs the role `operator`.
         */
        post: operations["takeControl"];
        /**
         * Release manual control
         * @description The run continues, unless it also waits for an answer.
         *
         *     Needs the role `operator`.
         */
        delete: operations["releaseControl"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/control/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy text from the page of a run
         * @description Presses Control+C or Control+X on the page and returns the copied text: the selection, or the text that the page copied last. Password fields are never copied, and secrets of the run appear as dots. At most 100,000 characters. Only for the operator, with the token, and once the run waits. The text is never logged.
         *
         *     Needs the role `operator`.
         */
        post: operations["copySelection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/control/dropdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the options of a dropdown
         * @description Returns the options of the focused `<select>`. Its native popup is in no screenshot and does not open during manual control. Select with an input `selectOption`. Only for the operator, with the token, and once the run waits. It counts as input.
         *
         *     Needs the role `operator`.
         */
        post: operations["readDropdown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/control/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send mouse and keyboard to a run
         * @description Only for the operator, with the token, and once the run waits. Send one request at a time to preserve the order. Typed text is never logged. The events of the run record the actions, without the text of password fields. Answer a file chooser with an input `dialog` that has the ids of uploads as `files`.
         *
         *     Needs the role `operator`.
         */
        post: operations["sendControlInput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/control/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inspect the page of a run
         * @description Returns the elements in view, and the locators of one of them for the `target` of a step. Only for the operator, with the token, and once the run waits. It counts as input but does not change the page.
         *
         *     Needs the role `operator`.
         */
        post: operations["inspectPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/definition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the definition of a run
         * @description The definition at the time the run was submitted.
         *
         *     Needs the role `viewer`.
         */
        get: operations["readRunDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow or list the events of a run
         * @description A stream of server-sent events unless JSON is requested. Each message has the number of the event as `id` and the event as `data`; the message after the last event has the type `end`. While a model streams, messages of type `agent-thinking` without `id` contain its thought so far (`step`, `turn`, `branch`, `subject`: plan or verdict, `text` from its start), at most four a second. They are not stored; the `agent.turn` event has the final text. Resume a broken connection with `Last-Event-ID`. After the end the stream returns 204, so that an `EventSource` stops. Returns 410 after the retention period.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch the screen of a run
         * @description A stream of JPEG frames that an `<img>` can show, sent on change: of a browser at most five a second, of a desktop at most 25. It waits for a queued run and ends with the run; after that it returns 204. Frames are not stored.
         *
         *     Needs the role `viewer`.
         */
        get: operations["watchRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reopen the browser of a waiting run
         * @description Only for a run in `awaiting_user` whose slot was released (`worker` is null). The run is queued; the next worker restores its page, and the run asks again.
         *
         *     Needs the role `operator`.
         */
        post: operations["reopenRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a run
         * @description Creates a new run with the same definition and inputs, including secrets. The body overrides settings. Only for a run that has ended.
         *
         *     Needs the role `operator`.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the steps of a run
         * @description All steps of the definition in order, with their status. Returns 410 after the retention period.
         *
         *     Needs the role `viewer`.
         */
        get: operations["listRunSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/batch/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel many runs
         * @description Cancels each run independently. Failures are listed with their errors.
         *
         *     Needs the role `operator`.
         */
        post: operations["cancelRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/batch/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry many runs
         * @description Creates one new run for each. Failures are listed with their errors.
         *
         *     Needs the role `operator`.
         */
        post: operations["retryRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your views of runs and those that are shared, by name
         * @description Needs the role `viewer`.
         */
        get: operations["listSavedViews"];
        put?: never;
        /**
         * Keep a view of runs
         * @description At most 100 of each member. Answers 409 beyond.
         *
         *     Needs the role `viewer`.
         */
        post: operations["createSavedView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved-views/{view}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a view of runs
         * @description One of your own; admins also one that is shared.
         *
         *     Needs the role `viewer`.
         */
        delete: operations["deleteSavedView"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is signed in
         * @description Needs a session.
         */
        get: operations["readSession"];
        put?: never;
        /**
         * Sign in
         * @description Takes e-mail and password, and sets the cookie of a session. The answer is the same for a wrong password and an unknown address, and both take the same time; too many attempts are refused for a while.
         */
        post: operations["signIn"];
        /**
         * Sign out
         * @description Needs a session.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in elsewhere: go to the OpenID Connect provider
         * @description For browsers. What has to be kept until they are back is sealed into a cookie.
         */
        get: operations["startOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from the OpenID Connect provider
         * @description For browsers. A rejected user is redirected to `/sign-in?error=` with the reason: `failed` (the provider did not confirm who it is, or the answer is not to what this browser began), `unverified` (it does not say that the e-mail address is theirs), `domain` (an address of another domain), `uninvited` (no project is open to them).
         */
        get: operations["finishOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password of who is signed in
         * @description Every other session of the user ends.
         *
         *     Needs a session.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the first user has to be made, and how the others sign in */
        get: operations["readSetup"];
        put?: never;
        /**
         * Make the first user
         * @description The user becomes admin of every project there is. Works only as long as there is no user, with the set-up code that the log of the API shows or with an API key of the first project with the role `admin`, so that no stranger is faster.
         */
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what became of the runs of the last hours
         * @description Needs the role `viewer`.
         */
        get: operations["readStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Announce a file for an input
         * @description Send the file as `transfer` says, within the hour; then give `id` as the value of an input of type `file`, or to a file chooser.
         *
         *     Needs the role `operator`.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows by name
         * @description Needs the role `viewer`.
         */
        get: operations["listWorkflows"];
        put?: never;
        /**
         * Create a workflow
         * @description The body is a workflow file, in JSON or YAML. It becomes version 1, a draft: it can be run by number until a version is published.
         *
         *     Needs the role `operator`.
         */
        post: operations["createWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a workflow
         * @description Needs the role `viewer`.
         */
        get: operations["readWorkflow"];
        /**
         * Give a workflow a new version
         * @description Versions never change. What equals the newest version makes no further one: the definition, and, sent as YAML, the text.
         *
         *     Needs the role `operator`.
         */
        put: operations["updateWorkflow"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a workflow
         * @description It takes no new runs and no new versions; its runs stay.
         *
         *     Needs the role `admin`.
         */
        post: operations["archiveWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a version
         * @description From now on runs that name no version take this one.
         *
         *     Needs the role `admin`.
         */
        post: operations["publishWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a workflow
         * @description Needs the role `operator`.
         */
        post: operations["runWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how the runs of a workflow do
         * @description Needs the role `viewer`.
         */
        get: operations["readWorkflowStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a workflow a picture
         * @description It is shown in place of the last screenshot of a run.
         *
         *     Needs the role `operator`.
         */
        put: operations["setWorkflowThumbnail"];
        post?: never;
        /**
         * Take the picture of a workflow away
         * @description Needs the role `operator`.
         */
        delete: operations["removeWorkflowThumbnail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a workflow out of the archive
         * @description Needs the role `admin`.
         */
        post: operations["unarchiveWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{workflow}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a workflow, the newest first
         * @description Needs the role `viewer`.
         */
        get: operations["listWorkflowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What the client can draw, as A2UI 0.9 or 0.8 says it */
        A2uiClientCapabilities: {
            "v0.9": {
                supportedCatalogIds: string[];
            };
        } | {
            supportedCatalogIds: string[];
        };
        /** @description A message of A2UI from a client, of version 0.9 or 0.8 */
        A2uiClientMessage: {
            action: {
                /** @description Of `answer`: `question`, `choice`, and `text` if there is one */
                context: {
                    [key: string]: unknown;
                };
                /** @description `answer`, `complete` or `cancel` */
                name: string;
                sourceComponentId: string;
                /** @description The surface on which it was done: the one of this run */
                surfaceId: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 instant in UTC
                 */
                timestamp: string;
            };
            /** @constant */
            version: "v0.9";
        } | {
            userAction: {
                /** @description Of `answer`: `question`, `choice`, and `text` if there is one */
                context: {
                    [key: string]: unknown;
                };
                /** @description `answer`, `complete` or `cancel` */
                name: string;
                sourceComponentId: string;
                /** @description The surface on which it was done: the one of this run */
                surfaceId: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 instant in UTC
                 */
                timestamp: string;
            };
        } | {
            /** @description What the client could not draw */
            error: {
                [key: string]: unknown;
            };
            /** @constant */
            version: "v0.9";
        } | {
            /** @description What the client could not draw */
            error: {
                [key: string]: unknown;
            };
        };
        AcceptInvitation: {
            /** @description How others will see you; for who is known already it stays as it is */
            name?: string;
            /** @description At least 12 characters; of who is known already, their password */
            password: string;
            /** @description What is behind the `#` of the link */
            token: string;
        };
        Actor: {
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            /** @enum {string} */
            kind: "key" | "user";
            /** @description Name of the key or address of the user, as it was then */
            name: string;
        };
        /** @enum {string} */
        AnswerChoice: "continue" | "retry" | "decline" | "fail";
        AnswerRun: {
            /** @description `continue`: the step ran, continue after it; for an agent: approve, or continue with the answer; `retry`: run it (again); `decline`: the agent tries something else; `fail`: end the run as failed */
            choice: components["schemas"]["AnswerChoice"];
            /** @description Key of the question (default: the open one). Returns 409 if it is not open */
            question?: string;
            /** @description With `retry`: target of the step whose element was not found, from `POST /v1/runs/{run}/control/inspect`, or a `point` */
            target?: components["schemas"]["Target"];
            /** @description The answer in words, for an agent. It is stored in the events of the run, so do not include secrets */
            text?: string;
        };
        ApiKey: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            expiresAt: string | null;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            lastUsedAt: string | null;
            name: string;
            /** @description How the key begins */
            prefix: string;
            project: string;
            revokedAt: string | null;
            role: components["schemas"]["Role"];
        };
        ApiKeyCreated: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            expiresAt: string | null;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            key: string;
            lastUsedAt: string | null;
            name: string;
            /** @description How the key begins */
            prefix: string;
            project: string;
            revokedAt: string | null;
            role: components["schemas"]["Role"];
        };
        ApiKeyPage: {
            items: components["schemas"]["ApiKey"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        /** @enum {string} */
        ApprovalEffect: "pay" | "delete" | "send" | "upload" | "credentials" | "otherSite" | "otherApp" | "canvas";
        AppRule: string;
        Artifact: {
            /** @description Detected from the content of the file */
            contentType: string;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            kind: components["schemas"]["ArtifactKind"];
            name: string;
            /**
             * Format: uuid
             * @description UUID
             */
            run: string;
            /** @description Bytes */
            size: number;
            step: number | null;
            /** @description Signed URL, valid for some minutes without a key */
            url: string;
        };
        /** @enum {string} */
        ArtifactKind: "screenshot" | "download" | "data" | "video" | "trace";
        ArtifactList: {
            items: components["schemas"]["Artifact"][];
        };
        Attempt: {
            endedAt: string | null;
            epoch: number;
            /** @description How it ended */
            error: components["schemas"]["Error"] | null;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            startedAt: string;
            worker: string;
        };
        AuditEntry: {
            /** @description Name of the operation, e.g. `createApiKey`; `signInFailed` is none */
            action: string;
            /** @description Who did it; for `signInFailed`, the user whose password was wrong */
            actor: components["schemas"]["Actor"];
            /** @description Where the request came from */
            address: string;
            /** @description The same values after the change */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            at: string;
            /** @description Values before the change; null: not known */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description What was said or answered, where it matters */
            details: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            /** @description Id of the request, for the logs */
            request: string;
            /** @description What it does, in words */
            summary: string;
            /** @description Id or name of the thing it was done to, or that came of it */
            target: string | null;
        };
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        /** @description A branch without a page: one request */
        Branch: {
            /**
             * @description Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string
             * @constant
             */
            action: "http";
            /** @description Body as text */
            body?: string;
            headers?: {
                [key: string]: string;
            };
            /** @description Body as JSON, with its `content-type` */
            json?: unknown;
            /** @description Maximum size of the response in bytes. A larger one fails the step (default: 900000) */
            maxBytes?: number;
            /**
             * @description Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @description Expected status codes (default: 200 to 299). Any other status fails the step */
            status?: number | number[];
            /** @description Absolute URL without secrets: write them in `headers`, `body` or `json` */
            url: string;
        };
        /** @description A step of a branch, or a control flow block */
        BranchNode: {
            /**
             * @description Open a URL in the current page
             * @constant
             */
            action: "navigate";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL, or one relative to the current page */
            url: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go back to the page before this one
             * @constant
             */
            action: "goBack";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go forward again to the page that `goBack` left
             * @constant
             */
            action: "goForward";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Load the page again
             * @constant
             */
            action: "reload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go on in another tab or window, waiting for it; one that a step opens is gone on in by itself
             * @constant
             */
            action: "switchTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /**
             * @description Close a tab or window (default: the current one) and go on in the one that was used before
             * @constant
             */
            action: "closeTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /** @description true is OK, false is Cancel */
            accept: boolean;
            /**
             * @description Say what the next dialog of the page gets; goes before the step that opens it
             * @constant
             */
            action: "handleDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Answer to a dialog that asks for a text */
            text?: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Start an installed application, and wait for its window
             * @constant
             */
            action: "openApp";
            /** @description Id of the application: the name of its `.desktop` file, e.g. `mousepad`, `libreoffice-calc` */
            app: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Files or URLs that it opens; a relative path begins in the home folder of the run */
            args?: string[];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Bring a window to the front, waiting for it
             * @constant
             */
            action: "switchWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Close a window (default: the active one); the application may ask whether to save
             * @constant
             */
            action: "closeWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description List the windows of the desktop, the topmost first: `app`, `title`, `bounds`, `active`, `state`
             * @constant
             */
            action: "listWindows";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move, resize, maximize, minimize or restore a window (default: the active one)
             * @constant
             */
            action: "setWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Place and size of its content in pixels of the screen; what is left out stays */
            bounds?: {
                /** @description Height */
                height?: number;
                /** @description Width */
                width?: number;
                /** @description Left edge */
                x?: number;
                /** @description Top edge, below the title bar */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /**
             * @description State of the window
             * @enum {string}
             */
            state?: "normal" | "maximized" | "minimized" | "fullscreen";
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Open the menus of the active window by name, and click the last entry
             * @constant
             */
            action: "selectMenuItem";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Names from the menu bar to the entry, e.g. `['File', 'Save As…']`; dots at the end may be left out */
            items: string[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Answer a dialog that opens or saves a file, waiting for it; the value is `path` and `exists`
             * @constant
             */
            action: "fillFileDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Replace a file that exists when the dialog asks (default: false, and the step fails) */
            overwrite?: boolean;
            /** @description File to open, or to save to; a relative path begins in the home folder of the run */
            path: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Copy a file input of the workflow into the home folder of the run
             * @constant
             */
            action: "putFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.sheet}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where it is put; its folders are created, and a file there is replaced; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Store a file of the home folder as an artifact, waiting until it is there and complete
             * @constant
             */
            action: "collectFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Pattern of relative paths, in which `*` is anything, also `/`; every file that matches is stored */
            glob?: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description The file; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element
             * @constant
             */
            action: "click";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description Button of the mouse (default: left)
             * @enum {string}
             */
            button?: "left" | "right" | "middle";
            /** @description 2 is a double click, 3 a triple one (default: 1) */
            count?: number;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Keys that are held meanwhile */
            modifiers?: ("Alt" | "Control" | "ControlOrMeta" | "Meta" | "Shift")[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move the pointer over an element, and leave it there
             * @constant
             */
            action: "hover";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Drag an element: press on it, move, let go; also for drag and drop of HTML, and on a canvas
             * @constant
             */
            action: "drag";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Where it is let go: so many pixels from where it was taken */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Where in `target` it is taken, in the same pixels as `position` */
            fromPosition?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where in `to` it is let go, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What is dragged */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Where it is let go: this element */
            to?: components["schemas"]["Target"];
        } | {
            /**
             * @description Scroll: an element into view; with `by` or `to` what scrolls around it, or the page
             * @constant
             */
            action: "scroll";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Pixels, by the wheel of the mouse over the element */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The element; without one the page is scrolled */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description To this end
             * @enum {string}
             */
            to?: "top" | "bottom" | "left" | "right";
        } | {
            /**
             * @description Set the text of a field; a newline into a single-line field is refused, `press` sends the form
             * @constant
             */
            action: "fill";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Text of the field; it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press the keys of a text one after the other, for fields that listen to keys (slower than `fill`)
             * @constant
             */
            action: "type";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The field (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Text to type; in a `target` it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Empty a field
             * @constant
             */
            action: "clear";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press a key or a chord
             * @constant
             */
            action: "press";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Key or chord, e.g. `Enter`, `ArrowDown`, `Control+A`; `ControlOrMeta` is Meta on a Mac */
            key: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Where (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description How often (default: once) */
            times?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read the text that was copied since the last such step: `{{steps.<id>.value}}`
             * @constant
             */
            action: "readClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Put a text on the clipboard of the run
             * @constant
             */
            action: "writeClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Text to put there; `press` with `ControlOrMeta+V` pastes it */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a checkbox, radio button or switch, native or ARIA; one that is checked stays so
             * @constant
             */
            action: "check";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Uncheck a checkbox or switch; one that is not checked stays so
             * @constant
             */
            action: "uncheck";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Choose in a select box, an ARIA listbox or combobox
             * @constant
             */
            action: "selectOption";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description What `option` says; an index counts from 0 (default: the label, else the value)
             * @enum {string}
             */
            by?: "label" | "value" | "index";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Label or value of the option; a list for a multiple select, of which all others are left */
            option: string | string[];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Give a file to a file input, or to what asks for one when it is clicked
             * @constant
             */
            action: "upload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.purchase_order}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The file input, or the button that opens the choice of a file */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element, and wait for the file that comes of it: an artifact; its value is name, contentType and size
             * @constant
             */
            action: "download";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the file, with its ending (default: the name that the site gives it) */
            name?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What starts the download */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait until the condition holds, within the time of the step
             * @constant
             */
            action: "waitFor";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait so long, whatever happens; `waitFor` is quicker where there is something to wait for
             * @constant
             */
            action: "wait";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            seconds: number;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check that the condition holds; it may come true within 5 seconds
             * @constant
             */
            action: "assert";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description What to say when it is not so */
            message?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read a value, a list or a table as typed JSON: `{{steps.<id>.value}}`
             * @constant
             */
            action: "extract";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description JSON of the page, or of what it was sent, in place of an element */
            json?: components["schemas"]["JsonSource"];
            /** @description Read each match: one value, or an object of values */
            list?: components["schemas"]["Field"] | {
                [key: string]: components["schemas"]["Field"];
            };
            /** @description Language and region of the texts, e.g. `en-GB`: decides what `03/04/2026` and `1,234` are (default: what the page says) */
            locale?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Read the rows of a table */
            table?: components["schemas"]["Table"];
            /** @description The element; for `list` all that match; for `table` the table */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Read one value */
            value?: components["schemas"]["Field"];
        } | {
            /**
             * @description Look at the page as a numbered list of elements, as a text; `{elementIndex: n}` then means one of them
             * @constant
             */
            action: "observe";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description How much (default: interactive)
             * @enum {string}
             */
            level?: "interactive" | "view" | "page";
            /** @description Wait until the page is settled, and list the locators of each element for `target` (default: false) */
            locators?: boolean;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep an image of what is in view
             * @constant
             */
            action: "screenshot";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The whole page instead of what is in view */
            fullPage?: boolean;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact; a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep the page as a PDF, as it is printed
             * @constant
             */
            action: "pdf";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact (default: page); a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a condition. The value is true or false; `timeout` is the time to wait (default 2 seconds)
             * @constant
             */
            action: "checkCondition";
            /** @description The condition */
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string
             * @constant
             */
            action: "http";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Body as text */
            body?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Body as JSON, with its `content-type` */
            json?: unknown;
            /** @description Maximum size of the response in bytes. A larger one fails the step (default: 900000) */
            maxBytes?: number;
            /**
             * @description Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Expected status codes (default: 200 to 299). Any other status fails the step */
            status?: number | number[];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL without secrets: write them in `headers`, `body` or `json` */
            url: string;
        } | {
            /**
             * @description Let an agent reach a goal: it observes the page, calls a model, acts and verifies. Its value is the answer
             * @constant
             */
            action: "goal";
            /**
             * @description Whether actions that worked on the same page are repeated without a model call (default: of the workflow)
             * @enum {string}
             */
            actionCache?: "never" | "auto";
            /** @description Notes about applications of a desktop, by id, e.g. `mousepad`. The model sees them while a window of the application is active */
            appNotes?: {
                [key: string]: string;
            };
            /** @description On a desktop: ids of the applications that it may use, e.g. `mousepad`, `libreoffice-*`; secrets go only into the first (default: the applications that the workflow opened before, the last one first; else the first one that the goal uses) */
            apps?: components["schemas"]["AppRule"][];
            /** @description Effects that need no approval of a person (default: none) */
            autoApprove?: components["schemas"]["ApprovalEffect"][];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The goal in plain words. Write secrets as templates, e.g. `{{inputs.password}}`: the agent may type those named here, and the model sees only their names */
            goal: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Maximum number of turns (default 30) */
            maxTurns?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description JSON Schema of the answer (default: a string) */
            outputSchema?: components["schemas"]["ValueSchema"];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Notes about sites, by host (`*.` for subdomains). The model sees them while a page of the site is open */
            siteNotes?: {
                [key: string]: string;
            };
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Group steps, e.g. for a common `if`
             * @constant
             */
            action: "group";
            /** @description Steps to run if `if` does not hold */
            else?: components["schemas"]["BranchNode"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["BranchNode"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps for each element of a list
             * @constant
             */
            action: "forEach";
            /** @description Variable with the element (default: item) */
            as?: string;
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description The list: an expression, e.g. `steps.rows.value`, or a literal list. Evaluated once, before the first iteration */
            in: components["schemas"]["Expression"] | unknown[];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 1000). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["BranchNode"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps on each page of a paginated list
             * @constant
             */
            action: "paginate";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            /** @description Control that opens the next page. The page is the last if it is invisible or disabled */
            next: components["schemas"]["Target"];
            steps: components["schemas"]["BranchNode"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Repeat steps until a condition holds, at least once
             * @constant
             */
            action: "loop";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["BranchNode"][];
            /** @description Title for people */
            title?: string;
            /** @description Checked after each iteration: an expression, or a condition of the page */
            until: components["schemas"]["Expression"] | components["schemas"]["Condition"];
        } | {
            /**
             * @description Handle failures of steps
             * @constant
             */
            action: "try";
            /** @description Variable with the error, which has `code` and `message` (default: error) */
            as?: string;
            /** @description Steps to run after a failure; an empty list ignores it */
            catch?: components["schemas"]["BranchNode"][];
            /** @description Steps that always run afterwards */
            finally?: components["schemas"]["BranchNode"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["BranchNode"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Set variables
             * @constant
             */
            action: "set";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Title for people */
            title?: string;
            /** @description Values by name: a string is an expression, anything else a literal value. Refer to it as `vars.<name>` */
            vars: {
                [key: string]: unknown;
            };
        } | {
            /**
             * @description Run another workflow. Its output is the value of the step
             * @constant
             */
            action: "call";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Inputs: any JSON with templates */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Title for people */
            title?: string;
            /** @description Name in `workflows` of this file or in the project: the version published at submit, or a fixed one with `@3` */
            workflow: string;
        };
        /** @description A step of a branch, or a control flow block */
        BranchNodeOutput: {
            /**
             * @description Open a URL in the current page
             * @constant
             */
            action: "navigate";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL, or one relative to the current page */
            url: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go back to the page before this one
             * @constant
             */
            action: "goBack";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go forward again to the page that `goBack` left
             * @constant
             */
            action: "goForward";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Load the page again
             * @constant
             */
            action: "reload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go on in another tab or window, waiting for it; one that a step opens is gone on in by itself
             * @constant
             */
            action: "switchTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /**
             * @description Close a tab or window (default: the current one) and go on in the one that was used before
             * @constant
             */
            action: "closeTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /** @description true is OK, false is Cancel */
            accept: boolean;
            /**
             * @description Say what the next dialog of the page gets; goes before the step that opens it
             * @constant
             */
            action: "handleDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Answer to a dialog that asks for a text */
            text?: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Start an installed application, and wait for its window
             * @constant
             */
            action: "openApp";
            /** @description Id of the application: the name of its `.desktop` file, e.g. `mousepad`, `libreoffice-calc` */
            app: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Files or URLs that it opens; a relative path begins in the home folder of the run */
            args?: string[];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Bring a window to the front, waiting for it
             * @constant
             */
            action: "switchWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Close a window (default: the active one); the application may ask whether to save
             * @constant
             */
            action: "closeWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description List the windows of the desktop, the topmost first: `app`, `title`, `bounds`, `active`, `state`
             * @constant
             */
            action: "listWindows";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move, resize, maximize, minimize or restore a window (default: the active one)
             * @constant
             */
            action: "setWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Place and size of its content in pixels of the screen; what is left out stays */
            bounds?: {
                /** @description Height */
                height?: number;
                /** @description Width */
                width?: number;
                /** @description Left edge */
                x?: number;
                /** @description Top edge, below the title bar */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /**
             * @description State of the window
             * @enum {string}
             */
            state?: "normal" | "maximized" | "minimized" | "fullscreen";
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Open the menus of the active window by name, and click the last entry
             * @constant
             */
            action: "selectMenuItem";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Names from the menu bar to the entry, e.g. `['File', 'Save As…']`; dots at the end may be left out */
            items: string[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Answer a dialog that opens or saves a file, waiting for it; the value is `path` and `exists`
             * @constant
             */
            action: "fillFileDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Replace a file that exists when the dialog asks (default: false, and the step fails) */
            overwrite?: boolean;
            /** @description File to open, or to save to; a relative path begins in the home folder of the run */
            path: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Copy a file input of the workflow into the home folder of the run
             * @constant
             */
            action: "putFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.sheet}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where it is put; its folders are created, and a file there is replaced; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Store a file of the home folder as an artifact, waiting until it is there and complete
             * @constant
             */
            action: "collectFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Pattern of relative paths, in which `*` is anything, also `/`; every file that matches is stored */
            glob?: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description The file; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element
             * @constant
             */
            action: "click";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description Button of the mouse (default: left)
             * @enum {string}
             */
            button?: "left" | "right" | "middle";
            /** @description 2 is a double click, 3 a triple one (default: 1) */
            count?: number;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Keys that are held meanwhile */
            modifiers?: ("Alt" | "Control" | "ControlOrMeta" | "Meta" | "Shift")[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move the pointer over an element, and leave it there
             * @constant
             */
            action: "hover";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Drag an element: press on it, move, let go; also for drag and drop of HTML, and on a canvas
             * @constant
             */
            action: "drag";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Where it is let go: so many pixels from where it was taken */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Where in `target` it is taken, in the same pixels as `position` */
            fromPosition?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where in `to` it is let go, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What is dragged */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Where it is let go: this element */
            to?: components["schemas"]["Target"];
        } | {
            /**
             * @description Scroll: an element into view; with `by` or `to` what scrolls around it, or the page
             * @constant
             */
            action: "scroll";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Pixels, by the wheel of the mouse over the element */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The element; without one the page is scrolled */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description To this end
             * @enum {string}
             */
            to?: "top" | "bottom" | "left" | "right";
        } | {
            /**
             * @description Set the text of a field; a newline into a single-line field is refused, `press` sends the form
             * @constant
             */
            action: "fill";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Text of the field; it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press the keys of a text one after the other, for fields that listen to keys (slower than `fill`)
             * @constant
             */
            action: "type";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The field (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Text to type; in a `target` it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Empty a field
             * @constant
             */
            action: "clear";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press a key or a chord
             * @constant
             */
            action: "press";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Key or chord, e.g. `Enter`, `ArrowDown`, `Control+A`; `ControlOrMeta` is Meta on a Mac */
            key: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Where (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description How often (default: once) */
            times?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read the text that was copied since the last such step: `{{steps.<id>.value}}`
             * @constant
             */
            action: "readClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Put a text on the clipboard of the run
             * @constant
             */
            action: "writeClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Text to put there; `press` with `ControlOrMeta+V` pastes it */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a checkbox, radio button or switch, native or ARIA; one that is checked stays so
             * @constant
             */
            action: "check";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Uncheck a checkbox or switch; one that is not checked stays so
             * @constant
             */
            action: "uncheck";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Choose in a select box, an ARIA listbox or combobox
             * @constant
             */
            action: "selectOption";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description What `option` says; an index counts from 0 (default: the label, else the value)
             * @enum {string}
             */
            by?: "label" | "value" | "index";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Label or value of the option; a list for a multiple select, of which all others are left */
            option: string | string[];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Give a file to a file input, or to what asks for one when it is clicked
             * @constant
             */
            action: "upload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.purchase_order}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The file input, or the button that opens the choice of a file */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element, and wait for the file that comes of it: an artifact; its value is name, contentType and size
             * @constant
             */
            action: "download";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the file, with its ending (default: the name that the site gives it) */
            name?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What starts the download */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait until the condition holds, within the time of the step
             * @constant
             */
            action: "waitFor";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait so long, whatever happens; `waitFor` is quicker where there is something to wait for
             * @constant
             */
            action: "wait";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            seconds: number;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check that the condition holds; it may come true within 5 seconds
             * @constant
             */
            action: "assert";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description What to say when it is not so */
            message?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read a value, a list or a table as typed JSON: `{{steps.<id>.value}}`
             * @constant
             */
            action: "extract";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description JSON of the page, or of what it was sent, in place of an element */
            json?: components["schemas"]["JsonSource"];
            /** @description Read each match: one value, or an object of values */
            list?: components["schemas"]["Field"] | {
                [key: string]: components["schemas"]["Field"];
            };
            /** @description Language and region of the texts, e.g. `en-GB`: decides what `03/04/2026` and `1,234` are (default: what the page says) */
            locale?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Read the rows of a table */
            table?: components["schemas"]["Table"];
            /** @description The element; for `list` all that match; for `table` the table */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Read one value */
            value?: components["schemas"]["Field"];
        } | {
            /**
             * @description Look at the page as a numbered list of elements, as a text; `{elementIndex: n}` then means one of them
             * @constant
             */
            action: "observe";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description How much (default: interactive)
             * @enum {string}
             */
            level?: "interactive" | "view" | "page";
            /** @description Wait until the page is settled, and list the locators of each element for `target` (default: false) */
            locators?: boolean;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep an image of what is in view
             * @constant
             */
            action: "screenshot";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The whole page instead of what is in view */
            fullPage?: boolean;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact; a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep the page as a PDF, as it is printed
             * @constant
             */
            action: "pdf";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact (default: page); a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a condition. The value is true or false; `timeout` is the time to wait (default 2 seconds)
             * @constant
             */
            action: "checkCondition";
            /** @description The condition */
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string
             * @constant
             */
            action: "http";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Body as text */
            body?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Body as JSON, with its `content-type` */
            json?: unknown;
            /** @description Maximum size of the response in bytes. A larger one fails the step (default: 900000) */
            maxBytes?: number;
            /**
             * @description Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Expected status codes (default: 200 to 299). Any other status fails the step */
            status?: number | number[];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL without secrets: write them in `headers`, `body` or `json` */
            url: string;
        } | {
            /**
             * @description Let an agent reach a goal: it observes the page, calls a model, acts and verifies. Its value is the answer
             * @constant
             */
            action: "goal";
            /**
             * @description Whether actions that worked on the same page are repeated without a model call (default: of the workflow)
             * @enum {string}
             */
            actionCache?: "never" | "auto";
            /** @description Notes about applications of a desktop, by id, e.g. `mousepad`. The model sees them while a window of the application is active */
            appNotes?: {
                [key: string]: string;
            };
            /** @description On a desktop: ids of the applications that it may use, e.g. `mousepad`, `libreoffice-*`; secrets go only into the first (default: the applications that the workflow opened before, the last one first; else the first one that the goal uses) */
            apps?: components["schemas"]["AppRule"][];
            /** @description Effects that need no approval of a person (default: none) */
            autoApprove?: components["schemas"]["ApprovalEffect"][];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The goal in plain words. Write secrets as templates, e.g. `{{inputs.password}}`: the agent may type those named here, and the model sees only their names */
            goal: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Maximum number of turns (default 30) */
            maxTurns?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description JSON Schema of the answer (default: a string) */
            outputSchema?: components["schemas"]["ValueSchemaOutput"];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Notes about sites, by host (`*.` for subdomains). The model sees them while a page of the site is open */
            siteNotes?: {
                [key: string]: string;
            };
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Group steps, e.g. for a common `if`
             * @constant
             */
            action: "group";
            /** @description Steps to run if `if` does not hold */
            else?: components["schemas"]["BranchNodeOutput"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["BranchNodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps for each element of a list
             * @constant
             */
            action: "forEach";
            /** @description Variable with the element (default: item) */
            as?: string;
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description The list: an expression, e.g. `steps.rows.value`, or a literal list. Evaluated once, before the first iteration */
            in: components["schemas"]["Expression"] | unknown[];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 1000). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["BranchNodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps on each page of a paginated list
             * @constant
             */
            action: "paginate";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            /** @description Control that opens the next page. The page is the last if it is invisible or disabled */
            next: components["schemas"]["Target"];
            steps: components["schemas"]["BranchNodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Repeat steps until a condition holds, at least once
             * @constant
             */
            action: "loop";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["BranchNodeOutput"][];
            /** @description Title for people */
            title?: string;
            /** @description Checked after each iteration: an expression, or a condition of the page */
            until: components["schemas"]["Expression"] | components["schemas"]["Condition"];
        } | {
            /**
             * @description Handle failures of steps
             * @constant
             */
            action: "try";
            /** @description Variable with the error, which has `code` and `message` (default: error) */
            as?: string;
            /** @description Steps to run after a failure; an empty list ignores it */
            catch?: components["schemas"]["BranchNodeOutput"][];
            /** @description Steps that always run afterwards */
            finally?: components["schemas"]["BranchNodeOutput"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["BranchNodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Set variables
             * @constant
             */
            action: "set";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Title for people */
            title?: string;
            /** @description Values by name: a string is an expression, anything else a literal value. Refer to it as `vars.<name>` */
            vars: {
                [key: string]: unknown;
            };
        } | {
            /**
             * @description Run another workflow. Its output is the value of the step
             * @constant
             */
            action: "call";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Inputs: any JSON with templates */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Title for people */
            title?: string;
            /** @description Name in `workflows` of this file or in the project: the version published at submit, or a fixed one with `@3` */
            workflow: string;
        };
        /** @description A branch without a page: one request */
        BranchOutput: {
            /**
             * @description Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string
             * @constant
             */
            action: "http";
            /** @description Body as text */
            body?: string;
            headers?: {
                [key: string]: string;
            };
            /** @description Body as JSON, with its `content-type` */
            json?: unknown;
            /** @description Maximum size of the response in bytes. A larger one fails the step (default: 900000) */
            maxBytes?: number;
            /**
             * @description Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @description Expected status codes (default: 200 to 299). Any other status fails the step */
            status?: number | number[];
            /** @description Absolute URL without secrets: write them in `headers`, `body` or `json` */
            url: string;
        };
        BrowserOptions: {
            /** @description Requests that are not sent: patterns for the whole URL, `*` is anything */
            blockUrls?: string[];
            /** @description Device to stand for, as Playwright calls it, e.g. `Pixel 7`: viewport, scale, touch, user agent */
            device?: string;
            /** @description Where it is; sites that ask are told */
            geolocation?: {
                /** @description Metres */
                accuracy?: number;
                latitude: number;
                longitude: number;
            };
            /** @description What a site gets that asks by HTTP for a name and a password */
            httpCredentials?: {
                /** @description The only origin that receives them, e.g. `https://intranet.example` */
                origin: string;
                password: string;
                username: string;
            };
            /** @description Language and region, e.g. `de-DE` */
            locale?: string;
            /** @description What every site may use */
            permissions?: ("geolocation" | "notifications" | "camera" | "microphone" | "clipboard-read" | "clipboard-write")[];
            /** @description Name of the cookies and the local storage that it begins with, kept by `saveProfile` or an import */
            profile?: string | {
                name: string;
                /** @description true: without the profile the run fails (default: begins empty) */
                required?: boolean;
            };
            /** @description Time zone, e.g. `Europe/Berlin` */
            timezoneId?: string;
            userAgent?: string;
            /** @description Size of a page in CSS pixels (default: 1280 × 800) */
            viewport?: {
                height: number;
                width: number;
            };
        };
        Budget: {
            /** @description Seconds of execution over all attempts, without queue time */
            seconds?: number;
            /** @description Executed steps, including repetitions */
            steps?: number;
            /** @description Input and output tokens of models. A call that could exceed the limit is not made */
            tokens?: number;
            /** @description US dollars for models. A call that could exceed the limit, or with unknown price, is not made */
            usd?: number;
        };
        CancelRunsResult: {
            /** @description Cancelled runs */
            cancelled: string[];
            /** @description Runs whose worker was asked to stop */
            cancelling: string[];
            /** @description Runs for which it failed, with the error */
            failed: {
                error: components["schemas"]["Error"];
                /**
                 * Format: uuid
                 * @description UUID
                 */
                run: string;
            }[];
        };
        Capture: {
            /** @description Console messages and uncaught errors of pages (default: false) */
            console?: boolean;
            /**
             * @description Network requests as HAR 1.2: `headers` without bodies, `bodies` with text bodies of up to 64 KiB each and 16 MiB in total (default: none)
             * @enum {string}
             */
            har?: "none" | "headers" | "bodies";
            /**
             * @description `only-on-failure`: when a step fails; `on`: also after every step; `before-and-after`: also before every step, with its target marked
             * @default only-on-failure
             * @enum {string}
             */
            screenshots?: "none" | "only-on-failure" | "on" | "before-and-after";
            /**
             * @description `full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)
             * @enum {string}
             */
            trace?: "none" | "full";
            /**
             * @description Video of the current page with up to 5 frames a second: `small` at most 640 × 640, `full` in page size (default: none)
             * @enum {string}
             */
            video?: "none" | "small" | "full";
        };
        CaptureOutput: {
            /** @description Console messages and uncaught errors of pages (default: false) */
            console?: boolean;
            /**
             * @description Network requests as HAR 1.2: `headers` without bodies, `bodies` with text bodies of up to 64 KiB each and 16 MiB in total (default: none)
             * @enum {string}
             */
            har?: "none" | "headers" | "bodies";
            /**
             * @description `only-on-failure`: when a step fails; `on`: also after every step; `before-and-after`: also before every step, with its target marked
             * @default only-on-failure
             * @enum {string}
             */
            screenshots: "none" | "only-on-failure" | "on" | "before-and-after";
            /**
             * @description `full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)
             * @enum {string}
             */
            trace?: "none" | "full";
            /**
             * @description Video of the current page with up to 5 frames a second: `small` at most 640 × 640, `full` in page size (default: none)
             * @enum {string}
             */
            video?: "none" | "small" | "full";
        };
        ChangePassword: {
            /** @description The password until now */
            current: string;
            /** @description 12 to 200 characters of any kind */
            password: string;
        };
        Column: {
            /** @description Read this attribute instead of the text; `href` and `src` come absolute */
            attribute?: string;
            /** @description With `money`: the currency of a text that names none, or whose sign is that of several */
            currency?: string;
            /** @description Text of the column header, whatever the case */
            header: string;
            /** @description null when it is not there, instead of a failed step */
            optional?: boolean;
            /** @description Regular expression, without look-around and back-references; its first group, else the match, is the value */
            pattern?: string;
            /**
             * @description Read the text as this type (default: string)
             * @enum {string}
             */
            type?: "string" | "number" | "integer" | "boolean" | "date" | "money";
        };
        CompileRun: {
            /**
             * @description With `verify`: secret inputs, which are not readable, and others to change
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Name of the workflow, which gets a new version if it is there (default: that of the run’s workflow) */
            name?: string;
            /**
             * @description Submit a run of it with the same inputs, where no step of it is one that must not happen twice
             * @default false
             */
            verify?: boolean;
        };
        CompileRunResult: {
            /** @description What was not carried over, and what to look at, in sentences */
            notes: string[];
            /** @description null: none was asked for */
            verification: {
                /**
                 * @description Where what comes of it is kept: `GET /v1/proposals/{proposal}`; null: the version is published already
                 * @default null
                 */
                proposal: string | null;
                /** @description Why none was submitted */
                reason: string | null;
                /** @description The run that tries it; null: none was submitted */
                run: string | null;
            } | null;
            workflow: components["schemas"]["WorkflowDetail"];
        };
        CompleteRun: {
            /** @description Key of the question (default: the open one). Returns 409 if it is not open */
            question?: string;
        };
        /** @description What is to be true of the page */
        Condition: {
            /** @description On a desktop: this application has an open window; with `window`, one with that title */
            app?: string;
            /** @description So many elements are visible */
            count?: {
                /** @description Exactly so many */
                equals?: number;
                /** @description At most so many */
                max?: number;
                /** @description At least so many */
                min?: number;
                /** @description Visible elements that this finds are counted */
                target: components["schemas"]["Target"];
            };
            /** @description This element is visible and not disabled, by attribute, ARIA, style or class */
            enabled?: components["schemas"]["Target"];
            /** @description This element is absent or hidden */
            hidden?: components["schemas"]["Target"];
            /** @description On a desktop: the screen shows this picture */
            image?: components["schemas"]["ImageTemplate"];
            /**
             * @description The page has loaded so far; `networkidle`: and asked for nothing for half a second
             * @enum {string}
             */
            loadState?: "domcontentloaded" | "load" | "networkidle";
            /** @description On a desktop: the screen has not changed for so many milliseconds; a blinking caret is no change */
            stableMs?: number;
            /** @description The page shows this text, or all texts of the list, whatever the case */
            text?: string | string[];
            /** @description The title contains this, whatever the case */
            title?: string;
            /** @description The URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
            /** @description This element is visible */
            visible?: components["schemas"]["Target"];
            /** @description On a desktop: a window with this in its title is open, active or not */
            window?: string;
        };
        /** @enum {string} */
        ConditionReason: "ImagePullFailed" | "Unschedulable" | "OutOfMemory" | "CrashLoop" | "QuotaExceeded" | "NodeLost" | "Evicted" | "CreateFailed" | "StartTimeout";
        /** @description One mouse, keyboard or dialog input of a person */
        ControlInput: {
            /**
             * @description Move the pointer
             * @constant
             */
            kind: "move";
            /** @description Thousandths of the viewport width */
            x: number;
            /** @description Thousandths of the viewport height */
            y: number;
        } | {
            /**
             * @default left
             * @enum {string}
             */
            button?: "left" | "right" | "middle";
            /**
             * @description Number of the click in a multiple click
             * @default 1
             */
            count?: number;
            /**
             * @description Press a mouse button
             * @constant
             */
            kind: "down";
            /** @description Thousandths of the viewport width */
            x: number;
            /** @description Thousandths of the viewport height */
            y: number;
        } | {
            /**
             * @default left
             * @enum {string}
             */
            button?: "left" | "right" | "middle";
            /**
             * @description Number of the click in a multiple click
             * @default 1
             */
            count?: number;
            /**
             * @description Release a mouse button
             * @constant
             */
            kind: "up";
            /** @description Thousandths of the viewport width */
            x: number;
            /** @description Thousandths of the viewport height */
            y: number;
        } | {
            /** @description Pixels to the right */
            dx: number;
            /** @description Pixels down */
            dy: number;
            /**
             * @description Turn the mouse wheel
             * @constant
             */
            kind: "scroll";
            /** @description Thousandths of the viewport width */
            x: number;
            /** @description Thousandths of the viewport height */
            y: number;
        } | {
            /** @description E.g. `Enter`, `ArrowDown`, `Control+A` */
            key: string;
            /**
             * @description Press a key or chord that types no text
             * @constant
             */
            kind: "key";
        } | {
            /**
             * @description Type text into the focused element, from keys or an input method
             * @constant
             */
            kind: "text";
            text: string;
        } | {
            /** @description Index of the option in the list, from 0 */
            index: number;
            /**
             * @description Select an option of the focused dropdown
             * @constant
             */
            kind: "selectOption";
            /** @description Label of the option. If it differs, nothing is selected */
            label: string;
        } | {
            /**
             * @description Paste text into the focused element
             * @constant
             */
            kind: "paste";
            text: string;
        } | {
            app: string;
            /**
             * @description Start an application of a desktop
             * @constant
             */
            kind: "openApp";
        } | {
            /** @description true: OK; false: Cancel. A file chooser without `files` is cancelled as well */
            accept: boolean;
            /**
             * Format: uuid
             * @description Its id, from the event `dialog.opened`
             */
            dialog: string;
            /** @description For an accepted file chooser: ids of uploads */
            files?: string[];
            /**
             * @description Answer a dialog of the page
             * @constant
             */
            kind: "dialog";
            /** @description For a prompt; missing: its default text */
            text?: string;
        };
        /** @description Manual control of a run */
        ControlSession: {
            /**
             * Format: date-time
             * @description Control is released at this time without further input
             */
            expiresAt: string;
            /** @description Name of the person in control */
            operator: string;
            /** @description Send it with each input */
            token: number;
        };
        /** @description Text that was copied during manual control */
        CopiedText: {
            /** @description Secrets of the run appear as dots; null: nothing was copied */
            text: string | null;
        };
        CopySelection: {
            /**
             * @description Cut: Control+X instead of Control+C
             * @default false
             */
            cut?: boolean;
            /** @description Token of the control session */
            token: number;
        };
        CreateApiKey: {
            /** @description Seconds until it expires (default: never) */
            expiresIn?: number;
            /** @description Who or what uses it */
            name: string;
            /** @default operator */
            role?: components["schemas"]["Role"];
        };
        CreateProject: {
            /** @description What people call it */
            name: string;
            /** @description What programs call it; it stays */
            slug: string;
        };
        CreateSavedView: {
            /** @description As it is called; one of yours with this name is replaced */
            name: string;
            /** @description Query of the list, without `?` */
            search: string;
            /**
             * @description Show it to all members of the project; viewers may not
             * @default false
             */
            shared?: boolean;
        };
        CreateUpload: {
            /** @default application/octet-stream */
            contentType?: string;
            /** @description File name, as the site will see it */
            name: string;
            /** @description Exact size in bytes */
            size: number;
        };
        CurrentPrincipal: {
            /** @description The API key; null for a user who is signed in */
            key: components["schemas"]["ApiKey"] | null;
            project: {
                /**
                 * Format: uuid
                 * @description UUID
                 */
                id: string;
                name: string;
                slug: string;
            };
            role: components["schemas"]["Role"];
            /**
             * @description The user who is signed in; null for an API key
             * @default null
             */
            user: components["schemas"]["User"] | null;
        };
        DeadLetter: {
            /** @description Empty when no worker ever had the run, or its events are no longer kept */
            attempts: components["schemas"]["Attempt"][];
            /** @description The newest run that was made of it again */
            retry: {
                /**
                 * Format: date-time
                 * @description ISO 8601 instant in UTC
                 */
                createdAt: string;
                /**
                 * Format: uuid
                 * @description UUID
                 */
                id: string;
                status: components["schemas"]["RunStatus"];
            } | null;
            run: components["schemas"]["Run"];
        };
        /** @enum {string} */
        DeadLetterCode: "INTERNAL" | "UNAVAILABLE" | "LEASE_LOST" | "WORKER_LOST" | "RUN_HANDED_BACK" | "ASSIGNMENT_NOT_ACCEPTED" | "POISON_RUN" | "RUN_EXPIRED" | "STEP_STATUS_UNKNOWN" | "ANSWER_TIMED_OUT" | "SURFACE_LOST" | "SURFACE_UNAVAILABLE" | "PROTOCOL_INVALID";
        DeadLetterPage: {
            /** @description Of all dead letters of the project by reason, the most first */
            counts: {
                code: components["schemas"]["DeadLetterCode"];
                /** @description How many of them were run again */
                retried: number;
                runs: number;
            }[];
            items: components["schemas"]["DeadLetter"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        DependencyCheck: {
            /** @description In a sentence */
            detail: string;
            ok: boolean;
        };
        DesktopOptions: {
            /** @description Dots per inch that applications scale to (default: 96) */
            dpi?: number;
            /** @description XKB layout with an optional variant, e.g. `de` or `us(dvorak)` (default: us) */
            keyboardLayout?: string;
            /** @description Language and region of applications, e.g. `de-DE`. The worker must have it (default: English, no region) */
            locale?: string;
            /** @description Files, programs and windows that the first step finds */
            profile?: components["schemas"]["DesktopProfile"];
            /** @description Size of the screen in pixels (default: 1280 × 800) */
            resolution?: {
                height: number;
                width: number;
            };
            /** @description Time zone, e.g. `Europe/Berlin` (default: UTC) */
            timezoneId?: string;
        };
        DesktopProfile: {
            /** @description Files in the home folder */
            files?: {
                /** @description Path below the home folder, e.g. `Documents/prices.ods` or `.config/mimeapps.list` */
                path: string;
                /** @description Content of the file */
                text?: string;
                /** @description Id of an upload, e.g. `{{inputs.sheet}}` */
                upload?: string;
            }[];
            /**
             * @description Policy for a run whose worker was lost: `restart` starts again from this profile, `ask` asks a person, `fail` ends it
             * @enum {string}
             */
            onWorkerLost?: "restart" | "ask" | "fail";
            /** @description Programs, started in this order */
            programs?: {
                /** @description Name of its `.desktop` file, e.g. `libreoffice-calc` */
                app: string;
                /** @description Files or URLs; a relative path is below the home folder. Options are refused */
                args?: string[];
            }[];
            /** @description Windows to wait for before the first step */
            ready?: {
                /** @description Application id, as in `app://<application>/` */
                app?: string;
                /** @description Part of its title */
                title?: string;
            }[];
            /** @description Seconds to wait for all windows (default: 30) */
            readyTimeout?: number;
        };
        /** @description Options of the focused dropdown */
        DropdownOptions: {
            /** @description null: no dropdown has the focus */
            dropdown: {
                /** @description Position of the dropdown */
                bounds: {
                    /** @description Thousandths of the viewport */
                    height: number;
                    /** @description Thousandths of the viewport */
                    width: number;
                    /** @description Thousandths of the viewport */
                    x: number;
                    /** @description Thousandths of the viewport */
                    y: number;
                };
                options: {
                    /** @description Whether it cannot be selected */
                    disabled: boolean;
                    /** @description Label of its option group */
                    group: string | null;
                    label: string;
                    selected: boolean;
                }[];
            } | null;
        };
        Error: {
            /** @enum {string} */
            code: "VALIDATION_FAILED" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "NOT_ACCEPTABLE" | "CONFLICT" | "IDEMPOTENCY_IN_FLIGHT" | "IDEMPOTENCY_MISMATCH" | "GONE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE" | "MIGRATION_FAILED" | "LEASE_LOST" | "WORKER_LOST" | "RUN_HANDED_BACK" | "ASSIGNMENT_NOT_ACCEPTED" | "POISON_RUN" | "RUN_EXPIRED" | "RUN_CANCELLED" | "BUDGET_EXCEEDED" | "OUTPUT_INVALID" | "STEP_STATUS_UNKNOWN" | "ANSWER_TIMED_OUT" | "TARGET_NOT_FOUND" | "TARGET_AMBIGUOUS" | "TARGET_NOT_ACTIONABLE" | "TYPED_TEXT_DIFFERS" | "CONDITION_NOT_MET" | "NAVIGATION_FAILED" | "REQUEST_FAILED" | "EGRESS_BLOCKED" | "SITE_LIMIT_TIMED_OUT" | "EXTRACTION_FAILED" | "TEMPLATE_INVALID" | "EXPRESSION_FAILED" | "LOOP_LIMIT_EXCEEDED" | "STEP_TIMED_OUT" | "UPLOAD_FAILED" | "GOAL_FAILED" | "APPROVAL_REQUIRED" | "MODEL_NOT_CONFIGURED" | "MODEL_UNAVAILABLE" | "MODEL_REFUSED" | "MODEL_INVALID" | "SURFACE_LOST" | "SURFACE_UNAVAILABLE" | "ACTION_UNSUPPORTED" | "PROFILE_NOT_FOUND" | "PROFILE_INVALID" | "PROTOCOL_INVALID" | "PROTOCOL_UNKNOWN" | "PROTOCOL_VERSION" | "FLEET_TOKEN_INVALID";
            /** @description Facts for people and programs, by error code */
            details?: {
                [key: string]: unknown;
            };
            message: string;
            /**
             * @default no
             * @enum {string}
             */
            retry: "no" | "same-request" | "new-worker";
        };
        /** @description An expression in CEL, e.g. `size(steps.rows.value) > 0` */
        Expression: string;
        Field: {
            /** @description Read this attribute instead of the text; `href` and `src` come absolute */
            attribute?: string;
            /** @description Where in the element; without it the element itself */
            css?: string;
            /** @description With `money`: the currency of a text that names none, or whose sign is that of several */
            currency?: string;
            /** @description null when it is not there, instead of a failed step */
            optional?: boolean;
            /** @description With `json`: where in the value, a JSONPath (RFC 9535) such as `$.offers.price` */
            path?: string;
            /** @description Regular expression, without look-around and back-references; its first group, else the match, is the value */
            pattern?: string;
            /**
             * @description Read the text as this type (default: string)
             * @enum {string}
             */
            type?: "string" | "number" | "integer" | "boolean" | "date" | "money";
        };
        Fleet: {
            /** @description What is wrong with it now; empty: nothing */
            conditions: components["schemas"]["FleetCondition"][];
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            idleSlots: number;
            /** @description Why the limits are not changed here. `configuration`: the configuration of the installation defines them; `retired`: it no longer names the fleet; null: they are */
            limitsManagedBy: ("configuration" | "retired") | null;
            maxWorkers: number;
            minWorkers: number;
            name: string;
            paused: boolean;
            running: number;
            slots: number;
            /** @enum {string} */
            surface: "browser" | "desktop" | "android";
            /** @description Runs in the queue */
            waiting: number;
            workers: components["schemas"]["Worker"][];
        };
        FleetCondition: {
            /** @description How many workers it was seen on, or how often it was seen */
            count: number;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            lastSeenAt: string;
            /** @description What was last seen, for people */
            message: string;
            reason: components["schemas"]["ConditionReason"];
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            since: string;
        };
        FleetDecision: {
            /** @description `create`, `drain` or `stop`; by people `drain`, `cordon` or `uncordon` */
            action: string;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            at: string;
            /** @description Why it was not carried out, or not on all */
            error: string | null;
            /** @description Why, e.g. `waiting` or `cooldown`; `manual`: a person or key asked for it */
            reason: string;
            /** @description Name of the person or key; null: the controller decided */
            requestedBy: string | null;
            /** @description Names of the workers that it was carried out on */
            workers: string[];
        };
        FleetDecisionList: {
            items: components["schemas"]["FleetDecision"][];
        };
        FleetHistory: {
            /** @description Why workers came and went, one entry for all of an action, a reason and a span */
            decisions: {
                /** @description `create`, `drain` or `stop`; by people also `cordon` or `uncordon` */
                action: string;
                /**
                 * Format: date-time
                 * @description ISO 8601 instant in UTC
                 */
                at: string;
                /** @description Why it was not carried out, or not on all */
                error: string | null;
                reason: string;
                /** @description How many it was carried out on */
                workers: number;
            }[];
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            from: string;
            spans: {
                /**
                 * Format: date-time
                 * @description Its begin
                 */
                at: string;
                /** @description Most runs at work */
                running: number;
                /** @description Most slots of workers */
                slots: number;
                /** @description Most runs in the queue */
                waiting: number;
                /** @description Most workers */
                workers: number;
            }[];
            /** @description Length of a span */
            stepSeconds: number;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            to: string;
        };
        FleetList: {
            items: components["schemas"]["Fleet"][];
        };
        FleetLoad: {
            /** @description Queued, and next for a worker */
            admitted: number;
            /** @description Runs that wait for a person */
            awaitingUser: number;
            /** @description Queued, and not yet admitted to the window that workers take from */
            backlog: number;
            /** @description When the oldest queued run entered the queue */
            oldestQueuedAt: string | null;
            running: number;
        };
        FleetQueue: {
            fleet: string;
            /** @description Since when no run is given to a worker; null: it is not paused */
            pausedAt: string | null;
            /** @description Of the project of the key */
            project: components["schemas"]["FleetLoad"];
            /** @enum {string} */
            surface: "browser" | "desktop" | "android";
            /** @description Of all projects that the fleet serves */
            total: components["schemas"]["FleetLoad"];
        };
        FleetQueueList: {
            items: components["schemas"]["FleetQueue"][];
        };
        Health: {
            /** @description The same at every replica; another one in another installation */
            installation: string;
            /** @constant */
            status: "ok";
            version: string;
        };
        /** @description `shop.example.com`: this host alone; `*.example.com`: its subdomains, not itself; `10.1.0.0/16`, `[2001:db8::]/32`: what has such an address. Each may end in `:port` */
        HostPattern: string;
        /** @description A picture that is looked for on the screen of a desktop */
        ImageTemplate: {
            /** @description The picture as base64 (PNG, JPEG or WebP), at its size on the screen */
            data?: string;
            /** @description A file input with the picture, e.g. `{{inputs.icon}}` */
            file?: string;
            /** @description Least similarity of a match, 1 is equal in all pixels (default: 0.9) */
            threshold?: number;
        };
        InitialSetup: {
            /** @description The set-up code that the log of the API shows, or an API key of the first project with the role `admin` */
            code: string;
            /** @description E-mail address; upper and lower case are the same */
            email: string;
            /** @description How others see the user */
            name: string;
            /** @description 12 to 200 characters of any kind */
            password: string;
        };
        InspectPage: {
            /** @description Index of an element in the last inspection */
            element?: number;
            /** @description A point in the viewport */
            point?: {
                /** @description Thousandths of the viewport width */
                x: number;
                /** @description Thousandths of the viewport height */
                y: number;
            };
            /** @description Token of the control session */
            token: number;
        };
        Invitation: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            email: string;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            /** @description Name of the key or address of the user */
            invitedBy: string;
            role: components["schemas"]["Role"];
        };
        InvitationCreated: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            email: string;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            /** @description Name of the key or address of the user */
            invitedBy: string;
            role: components["schemas"]["Role"];
            /** @description Hand it to the user. What is behind the `#` opens the door, and is shown here and never again */
            url: string;
        };
        InvitationDetails: {
            email: string;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            expiresAt: string;
            /** @description There is a user of this address: ask for their password, and for no name */
            hasAccount: boolean;
            project: {
                name: string;
                slug: string;
            };
            role: components["schemas"]["Role"];
        };
        InvitationPage: {
            items: components["schemas"]["Invitation"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        Invite: {
            /** @description E-mail address; upper and lower case are the same */
            email: string;
            /**
             * @description Seconds that the link is good for (default: a week)
             * @default 604800
             */
            expiresIn?: number;
            role: components["schemas"]["Role"];
        };
        JsonSource: {
            /** @description Objects of this `@type` in the linked data of the page (JSON-LD), e.g. `Product`; `*` is all */
            jsonLd?: string;
            /** @description JSONPath (RFC 9535) to what is read, e.g. `$.props.pageProps.products[*]` (default: all of it) */
            path?: string;
            /** @description URL pattern (`*` is anything) of what the page asks for: the newest such answer is read, and waited for */
            response?: string;
            /** @description CSS selector of a script element that holds JSON, e.g. `#__NEXT_DATA__` */
            script?: string;
        };
        /** @description One way to find an element */
        Locator: {
            /** @description On a desktop: look only in a window of this application, e.g. `mousepad` (default: the active window) */
            app?: string;
            /** @description CSS selector; reaches into open shadow roots */
            css?: string;
            /** @description Number in the list of elements that was seen last; an error when the element is another by now */
            elementIndex?: number;
            /** @description The whole string, with its case (default: contains, whatever the case) */
            exact?: boolean;
            /**
             * @description What has the focus, e.g. the caret of an editor
             * @constant
             */
            focus?: true;
            /** @description Keep only elements that contain an element which this locator finds */
            has?: components["schemas"]["Locator"];
            /** @description Keep only elements that contain this text */
            hasText?: string;
            /** @description On a desktop: a picture on the screen */
            image?: components["schemas"]["ImageTemplate"];
            /** @description Text of the label of a form field */
            label?: string;
            /** @description Accessible name, only with `role`; contains, whatever the case, unless `exact` */
            name?: string;
            /** @description Of several matches the one that is nearest to the element that this locator finds */
            near?: components["schemas"]["Locator"];
            /** @description Which of several matches: 0 is the first, -1 the last. Without it two matches are an error */
            nth?: number;
            /** @description Regular expression: keep only elements whose accessible name (with `role`) or text (otherwise) has a match for it */
            pattern?: string;
            /** @description Placeholder of a form field */
            placeholder?: string;
            /** @description A place in what is in view, in thousandths of its width and height: the last resort */
            point?: {
                x: number;
                y: number;
            };
            /** @description ARIA role, e.g. `button`; usually together with `name` */
            role?: string;
            /** @description On a desktop: text in the picture of a window (OCR), for applications that publish no elements */
            screenText?: string;
            /**
             * @description On which side of `near` it has to be
             * @enum {string}
             */
            side?: "left" | "right" | "above" | "below";
            /** @description Value of `data-testid` */
            testId?: string;
            /** @description Text of the element */
            text?: string;
            /** @description On a desktop: look only in the window with this in its title, whatever the case */
            window?: string;
            /** @description Look only inside the element that this locator finds */
            within?: components["schemas"]["Locator"];
        };
        LookUpInvitation: {
            /** @description What is behind the `#` of the link */
            token: string;
        };
        Member: {
            /** @description When a session of the user was last used; null: there is none */
            lastSeenAt: string | null;
            role: components["schemas"]["Role"];
            /**
             * Format: date-time
             * @description When the user became a member
             */
            since: string;
            user: components["schemas"]["User"];
        };
        MemberPage: {
            items: components["schemas"]["Member"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        Models: {
            /** @description Endpoints of the installation; a model at one is `name/model` */
            endpoints: {
                name: string;
                /** @enum {string} */
                protocol: "gemini" | "openai" | "anthropic";
            }[];
            /** @description What is asked where a project says nothing, in order */
            use: string[];
        };
        MonthBudget: {
            /** @description Input and output tokens of models */
            tokens?: number;
            /** @description US dollars for models. Calls with unknown price are not made */
            usd?: number;
        };
        MonthlyUsage: {
            /** @description The calendar month, by UTC, e.g. 2026-11 */
            month: string;
            /** @description Maximum usage of running calls */
            reserved: {
                tokens: number;
                usd: number;
            };
            tokens: number;
            usd: number;
        };
        /** @description A step of a workflow, or steps under control flow */
        Node: {
            /**
             * @description Open a URL in the current page
             * @constant
             */
            action: "navigate";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL, or one relative to the current page */
            url: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go back to the page before this one
             * @constant
             */
            action: "goBack";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go forward again to the page that `goBack` left
             * @constant
             */
            action: "goForward";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Load the page again
             * @constant
             */
            action: "reload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go on in another tab or window, waiting for it; one that a step opens is gone on in by itself
             * @constant
             */
            action: "switchTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /**
             * @description Close a tab or window (default: the current one) and go on in the one that was used before
             * @constant
             */
            action: "closeTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /** @description true is OK, false is Cancel */
            accept: boolean;
            /**
             * @description Say what the next dialog of the page gets; goes before the step that opens it
             * @constant
             */
            action: "handleDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Answer to a dialog that asks for a text */
            text?: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Start an installed application, and wait for its window
             * @constant
             */
            action: "openApp";
            /** @description Id of the application: the name of its `.desktop` file, e.g. `mousepad`, `libreoffice-calc` */
            app: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Files or URLs that it opens; a relative path begins in the home folder of the run */
            args?: string[];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Bring a window to the front, waiting for it
             * @constant
             */
            action: "switchWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Close a window (default: the active one); the application may ask whether to save
             * @constant
             */
            action: "closeWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description List the windows of the desktop, the topmost first: `app`, `title`, `bounds`, `active`, `state`
             * @constant
             */
            action: "listWindows";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move, resize, maximize, minimize or restore a window (default: the active one)
             * @constant
             */
            action: "setWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Place and size of its content in pixels of the screen; what is left out stays */
            bounds?: {
                /** @description Height */
                height?: number;
                /** @description Width */
                width?: number;
                /** @description Left edge */
                x?: number;
                /** @description Top edge, below the title bar */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /**
             * @description State of the window
             * @enum {string}
             */
            state?: "normal" | "maximized" | "minimized" | "fullscreen";
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Open the menus of the active window by name, and click the last entry
             * @constant
             */
            action: "selectMenuItem";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Names from the menu bar to the entry, e.g. `['File', 'Save As…']`; dots at the end may be left out */
            items: string[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Answer a dialog that opens or saves a file, waiting for it; the value is `path` and `exists`
             * @constant
             */
            action: "fillFileDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Replace a file that exists when the dialog asks (default: false, and the step fails) */
            overwrite?: boolean;
            /** @description File to open, or to save to; a relative path begins in the home folder of the run */
            path: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Copy a file input of the workflow into the home folder of the run
             * @constant
             */
            action: "putFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.sheet}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where it is put; its folders are created, and a file there is replaced; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Store a file of the home folder as an artifact, waiting until it is there and complete
             * @constant
             */
            action: "collectFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Pattern of relative paths, in which `*` is anything, also `/`; every file that matches is stored */
            glob?: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description The file; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element
             * @constant
             */
            action: "click";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description Button of the mouse (default: left)
             * @enum {string}
             */
            button?: "left" | "right" | "middle";
            /** @description 2 is a double click, 3 a triple one (default: 1) */
            count?: number;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Keys that are held meanwhile */
            modifiers?: ("Alt" | "Control" | "ControlOrMeta" | "Meta" | "Shift")[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move the pointer over an element, and leave it there
             * @constant
             */
            action: "hover";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Drag an element: press on it, move, let go; also for drag and drop of HTML, and on a canvas
             * @constant
             */
            action: "drag";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Where it is let go: so many pixels from where it was taken */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Where in `target` it is taken, in the same pixels as `position` */
            fromPosition?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where in `to` it is let go, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What is dragged */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Where it is let go: this element */
            to?: components["schemas"]["Target"];
        } | {
            /**
             * @description Scroll: an element into view; with `by` or `to` what scrolls around it, or the page
             * @constant
             */
            action: "scroll";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Pixels, by the wheel of the mouse over the element */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The element; without one the page is scrolled */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description To this end
             * @enum {string}
             */
            to?: "top" | "bottom" | "left" | "right";
        } | {
            /**
             * @description Set the text of a field; a newline into a single-line field is refused, `press` sends the form
             * @constant
             */
            action: "fill";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Text of the field; it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press the keys of a text one after the other, for fields that listen to keys (slower than `fill`)
             * @constant
             */
            action: "type";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The field (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Text to type; in a `target` it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Empty a field
             * @constant
             */
            action: "clear";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press a key or a chord
             * @constant
             */
            action: "press";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Key or chord, e.g. `Enter`, `ArrowDown`, `Control+A`; `ControlOrMeta` is Meta on a Mac */
            key: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Where (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description How often (default: once) */
            times?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read the text that was copied since the last such step: `{{steps.<id>.value}}`
             * @constant
             */
            action: "readClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Put a text on the clipboard of the run
             * @constant
             */
            action: "writeClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Text to put there; `press` with `ControlOrMeta+V` pastes it */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a checkbox, radio button or switch, native or ARIA; one that is checked stays so
             * @constant
             */
            action: "check";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Uncheck a checkbox or switch; one that is not checked stays so
             * @constant
             */
            action: "uncheck";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Choose in a select box, an ARIA listbox or combobox
             * @constant
             */
            action: "selectOption";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description What `option` says; an index counts from 0 (default: the label, else the value)
             * @enum {string}
             */
            by?: "label" | "value" | "index";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Label or value of the option; a list for a multiple select, of which all others are left */
            option: string | string[];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Give a file to a file input, or to what asks for one when it is clicked
             * @constant
             */
            action: "upload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.purchase_order}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The file input, or the button that opens the choice of a file */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element, and wait for the file that comes of it: an artifact; its value is name, contentType and size
             * @constant
             */
            action: "download";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the file, with its ending (default: the name that the site gives it) */
            name?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What starts the download */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait until the condition holds, within the time of the step
             * @constant
             */
            action: "waitFor";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait so long, whatever happens; `waitFor` is quicker where there is something to wait for
             * @constant
             */
            action: "wait";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            seconds: number;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check that the condition holds; it may come true within 5 seconds
             * @constant
             */
            action: "assert";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description What to say when it is not so */
            message?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read a value, a list or a table as typed JSON: `{{steps.<id>.value}}`
             * @constant
             */
            action: "extract";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description JSON of the page, or of what it was sent, in place of an element */
            json?: components["schemas"]["JsonSource"];
            /** @description Read each match: one value, or an object of values */
            list?: components["schemas"]["Field"] | {
                [key: string]: components["schemas"]["Field"];
            };
            /** @description Language and region of the texts, e.g. `en-GB`: decides what `03/04/2026` and `1,234` are (default: what the page says) */
            locale?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Read the rows of a table */
            table?: components["schemas"]["Table"];
            /** @description The element; for `list` all that match; for `table` the table */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Read one value */
            value?: components["schemas"]["Field"];
        } | {
            /**
             * @description Look at the page as a numbered list of elements, as a text; `{elementIndex: n}` then means one of them
             * @constant
             */
            action: "observe";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description How much (default: interactive)
             * @enum {string}
             */
            level?: "interactive" | "view" | "page";
            /** @description Wait until the page is settled, and list the locators of each element for `target` (default: false) */
            locators?: boolean;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep an image of what is in view
             * @constant
             */
            action: "screenshot";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The whole page instead of what is in view */
            fullPage?: boolean;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact; a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep the page as a PDF, as it is printed
             * @constant
             */
            action: "pdf";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact (default: page); a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a condition. The value is true or false; `timeout` is the time to wait (default 2 seconds)
             * @constant
             */
            action: "checkCondition";
            /** @description The condition */
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string
             * @constant
             */
            action: "http";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Body as text */
            body?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Body as JSON, with its `content-type` */
            json?: unknown;
            /** @description Maximum size of the response in bytes. A larger one fails the step (default: 900000) */
            maxBytes?: number;
            /**
             * @description Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Expected status codes (default: 200 to 299). Any other status fails the step */
            status?: number | number[];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL without secrets: write them in `headers`, `body` or `json` */
            url: string;
        } | {
            /**
             * @description Run branches at the same time. Its value has the value of each branch by name
             * @constant
             */
            action: "parallel";
            /** @description Branches by name: a list of steps with their own page, or an `http` step. `expect`, `if` and the like belong to the whole step */
            branches: {
                [key: string]: components["schemas"]["Branch"] | components["schemas"]["PageBranch"];
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Maximum number of branches with a page at the same time (default 4) */
            maxParallel?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Save cookies and local storage as a profile, which runs load with `browser.profile`
             * @constant
             */
            action: "saveProfile";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the profile in the project (default: the one of `browser.profile`) */
            name?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Let an agent reach a goal: it observes the page, calls a model, acts and verifies. Its value is the answer
             * @constant
             */
            action: "goal";
            /**
             * @description Whether actions that worked on the same page are repeated without a model call (default: of the workflow)
             * @enum {string}
             */
            actionCache?: "never" | "auto";
            /** @description Notes about applications of a desktop, by id, e.g. `mousepad`. The model sees them while a window of the application is active */
            appNotes?: {
                [key: string]: string;
            };
            /** @description On a desktop: ids of the applications that it may use, e.g. `mousepad`, `libreoffice-*`; secrets go only into the first (default: the applications that the workflow opened before, the last one first; else the first one that the goal uses) */
            apps?: components["schemas"]["AppRule"][];
            /** @description Effects that need no approval of a person (default: none) */
            autoApprove?: components["schemas"]["ApprovalEffect"][];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The goal in plain words. Write secrets as templates, e.g. `{{inputs.password}}`: the agent may type those named here, and the model sees only their names */
            goal: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Maximum number of turns (default 30) */
            maxTurns?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description JSON Schema of the answer (default: a string) */
            outputSchema?: components["schemas"]["ValueSchema"];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Notes about sites, by host (`*.` for subdomains). The model sees them while a page of the site is open */
            siteNotes?: {
                [key: string]: string;
            };
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Group steps, e.g. for a common `if`
             * @constant
             */
            action: "group";
            /** @description Steps to run if `if` does not hold */
            else?: components["schemas"]["Node"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["Node"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps for each element of a list
             * @constant
             */
            action: "forEach";
            /** @description Variable with the element (default: item) */
            as?: string;
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description The list: an expression, e.g. `steps.rows.value`, or a literal list. Evaluated once, before the first iteration */
            in: components["schemas"]["Expression"] | unknown[];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 1000). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["Node"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps on each page of a paginated list
             * @constant
             */
            action: "paginate";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            /** @description Control that opens the next page. The page is the last if it is invisible or disabled */
            next: components["schemas"]["Target"];
            steps: components["schemas"]["Node"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Repeat steps until a condition holds, at least once
             * @constant
             */
            action: "loop";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["Node"][];
            /** @description Title for people */
            title?: string;
            /** @description Checked after each iteration: an expression, or a condition of the page */
            until: components["schemas"]["Expression"] | components["schemas"]["Condition"];
        } | {
            /**
             * @description Handle failures of steps
             * @constant
             */
            action: "try";
            /** @description Variable with the error, which has `code` and `message` (default: error) */
            as?: string;
            /** @description Steps to run after a failure; an empty list ignores it */
            catch?: components["schemas"]["Node"][];
            /** @description Steps that always run afterwards */
            finally?: components["schemas"]["Node"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["Node"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Set variables
             * @constant
             */
            action: "set";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Title for people */
            title?: string;
            /** @description Values by name: a string is an expression, anything else a literal value. Refer to it as `vars.<name>` */
            vars: {
                [key: string]: unknown;
            };
        } | {
            /**
             * @description Run another workflow. Its output is the value of the step
             * @constant
             */
            action: "call";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Inputs: any JSON with templates */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Title for people */
            title?: string;
            /** @description Name in `workflows` of this file or in the project: the version published at submit, or a fixed one with `@3` */
            workflow: string;
        };
        /** @description A step of a workflow, or steps under control flow */
        NodeOutput: {
            /**
             * @description Open a URL in the current page
             * @constant
             */
            action: "navigate";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL, or one relative to the current page */
            url: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go back to the page before this one
             * @constant
             */
            action: "goBack";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go forward again to the page that `goBack` left
             * @constant
             */
            action: "goForward";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Load the page again
             * @constant
             */
            action: "reload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description When the page counts as open (default: load)
             * @enum {string}
             */
            waitUntil?: "load" | "domcontentloaded" | "commit";
        } | {
            /**
             * @description Go on in another tab or window, waiting for it; one that a step opens is gone on in by itself
             * @constant
             */
            action: "switchTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /**
             * @description Close a tab or window (default: the current one) and go on in the one that was used before
             * @constant
             */
            action: "closeTab";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description In the order in which they were opened: 0 is the first, -1 the newest */
            index?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Its title contains this, whatever the case */
            title?: string;
            /** @description Its URL contains this; with `*` it is a pattern for the whole URL */
            url?: string;
        } | {
            /** @description true is OK, false is Cancel */
            accept: boolean;
            /**
             * @description Say what the next dialog of the page gets; goes before the step that opens it
             * @constant
             */
            action: "handleDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Answer to a dialog that asks for a text */
            text?: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Start an installed application, and wait for its window
             * @constant
             */
            action: "openApp";
            /** @description Id of the application: the name of its `.desktop` file, e.g. `mousepad`, `libreoffice-calc` */
            app: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Files or URLs that it opens; a relative path begins in the home folder of the run */
            args?: string[];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Bring a window to the front, waiting for it
             * @constant
             */
            action: "switchWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Close a window (default: the active one); the application may ask whether to save
             * @constant
             */
            action: "closeWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description List the windows of the desktop, the topmost first: `app`, `title`, `bounds`, `active`, `state`
             * @constant
             */
            action: "listWindows";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move, resize, maximize, minimize or restore a window (default: the active one)
             * @constant
             */
            action: "setWindow";
            /** @description Id of the application, e.g. `mousepad` */
            app?: string;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Place and size of its content in pixels of the screen; what is left out stays */
            bounds?: {
                /** @description Height */
                height?: number;
                /** @description Width */
                width?: number;
                /** @description Left edge */
                x?: number;
                /** @description Top edge, below the title bar */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /**
             * @description State of the window
             * @enum {string}
             */
            state?: "normal" | "maximized" | "minimized" | "fullscreen";
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Part of the window title, whatever the case */
            title?: string;
        } | {
            /**
             * @description Open the menus of the active window by name, and click the last entry
             * @constant
             */
            action: "selectMenuItem";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Names from the menu bar to the entry, e.g. `['File', 'Save As…']`; dots at the end may be left out */
            items: string[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Answer a dialog that opens or saves a file, waiting for it; the value is `path` and `exists`
             * @constant
             */
            action: "fillFileDialog";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Replace a file that exists when the dialog asks (default: false, and the step fails) */
            overwrite?: boolean;
            /** @description File to open, or to save to; a relative path begins in the home folder of the run */
            path: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Copy a file input of the workflow into the home folder of the run
             * @constant
             */
            action: "putFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.sheet}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where it is put; its folders are created, and a file there is replaced; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Store a file of the home folder as an artifact, waiting until it is there and complete
             * @constant
             */
            action: "collectFile";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Pattern of relative paths, in which `*` is anything, also `/`; every file that matches is stored */
            glob?: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description The file; a relative path begins in the home folder of the run */
            path?: string;
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element
             * @constant
             */
            action: "click";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description Button of the mouse (default: left)
             * @enum {string}
             */
            button?: "left" | "right" | "middle";
            /** @description 2 is a double click, 3 a triple one (default: 1) */
            count?: number;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Keys that are held meanwhile */
            modifiers?: ("Alt" | "Control" | "ControlOrMeta" | "Meta" | "Shift")[];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Move the pointer over an element, and leave it there
             * @constant
             */
            action: "hover";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description A point in the element, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Drag an element: press on it, move, let go; also for drag and drop of HTML, and on a canvas
             * @constant
             */
            action: "drag";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Where it is let go: so many pixels from where it was taken */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description Where in `target` it is taken, in the same pixels as `position` */
            fromPosition?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Where in `to` it is let go, in CSS pixels from its top left corner inside the border (default: its middle) */
            position?: {
                /** @description To the right */
                x: number;
                /** @description Down */
                y: number;
            };
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What is dragged */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Where it is let go: this element */
            to?: components["schemas"]["Target"];
        } | {
            /**
             * @description Scroll: an element into view; with `by` or `to` what scrolls around it, or the page
             * @constant
             */
            action: "scroll";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Pixels, by the wheel of the mouse over the element */
            by?: {
                /** @description To the right */
                x?: number;
                /** @description Down */
                y?: number;
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The element; without one the page is scrolled */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /**
             * @description To this end
             * @enum {string}
             */
            to?: "top" | "bottom" | "left" | "right";
        } | {
            /**
             * @description Set the text of a field; a newline into a single-line field is refused, `press` sends the form
             * @constant
             */
            action: "fill";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Text of the field; it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press the keys of a text one after the other, for fields that listen to keys (slower than `fill`)
             * @constant
             */
            action: "type";
            /** @description Keep what is there */
            append?: boolean;
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The field (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Text to type; in a `target` it replaces what is there unless `append` */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Empty a field
             * @constant
             */
            action: "clear";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Press a key or a chord
             * @constant
             */
            action: "press";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Key or chord, e.g. `Enter`, `ArrowDown`, `Control+A`; `ControlOrMeta` is Meta on a Mac */
            key: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Where (default: what has the focus) */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description How often (default: once) */
            times?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read the text that was copied since the last such step: `{{steps.<id>.value}}`
             * @constant
             */
            action: "readClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Put a text on the clipboard of the run
             * @constant
             */
            action: "writeClipboard";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Text to put there; `press` with `ControlOrMeta+V` pastes it */
            text: string;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a checkbox, radio button or switch, native or ARIA; one that is checked stays so
             * @constant
             */
            action: "check";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Uncheck a checkbox or switch; one that is not checked stays so
             * @constant
             */
            action: "uncheck";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Choose in a select box, an ARIA listbox or combobox
             * @constant
             */
            action: "selectOption";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /**
             * @description What `option` says; an index counts from 0 (default: the label, else the value)
             * @enum {string}
             */
            by?: "label" | "value" | "index";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Label or value of the option; a list for a multiple select, of which all others are left */
            option: string | string[];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Give a file to a file input, or to what asks for one when it is clicked
             * @constant
             */
            action: "upload";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description A file input of the workflow, e.g. `{{inputs.purchase_order}}` */
            file: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description The file input, or the button that opens the choice of a file */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Click an element, and wait for the file that comes of it: an artifact; its value is name, contentType and size
             * @constant
             */
            action: "download";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the file, with its ending (default: the name that the site gives it) */
            name?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description What starts the download */
            target: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait until the condition holds, within the time of the step
             * @constant
             */
            action: "waitFor";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Wait so long, whatever happens; `waitFor` is quicker where there is something to wait for
             * @constant
             */
            action: "wait";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            seconds: number;
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check that the condition holds; it may come true within 5 seconds
             * @constant
             */
            action: "assert";
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description What to say when it is not so */
            message?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Read a value, a list or a table as typed JSON: `{{steps.<id>.value}}`
             * @constant
             */
            action: "extract";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description JSON of the page, or of what it was sent, in place of an element */
            json?: components["schemas"]["JsonSource"];
            /** @description Read each match: one value, or an object of values */
            list?: components["schemas"]["Field"] | {
                [key: string]: components["schemas"]["Field"];
            };
            /** @description Language and region of the texts, e.g. `en-GB`: decides what `03/04/2026` and `1,234` are (default: what the page says) */
            locale?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Read the rows of a table */
            table?: components["schemas"]["Table"];
            /** @description The element; for `list` all that match; for `table` the table */
            target?: components["schemas"]["Target"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Read one value */
            value?: components["schemas"]["Field"];
        } | {
            /**
             * @description Look at the page as a numbered list of elements, as a text; `{elementIndex: n}` then means one of them
             * @constant
             */
            action: "observe";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description How much (default: interactive)
             * @enum {string}
             */
            level?: "interactive" | "view" | "page";
            /** @description Wait until the page is settled, and list the locators of each element for `target` (default: false) */
            locators?: boolean;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep an image of what is in view
             * @constant
             */
            action: "screenshot";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The whole page instead of what is in view */
            fullPage?: boolean;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact; a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Keep the page as a PDF, as it is printed
             * @constant
             */
            action: "pdf";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the artifact (default: page); a long one is cut */
            label?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Check a condition. The value is true or false; `timeout` is the time to wait (default 2 seconds)
             * @constant
             */
            action: "checkCondition";
            /** @description The condition */
            condition: components["schemas"]["Condition"];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string
             * @constant
             */
            action: "http";
            /** @description Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED */
            approval?: string;
            /** @description Body as text */
            body?: string;
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Body as JSON, with its `content-type` */
            json?: unknown;
            /** @description Maximum size of the response in bytes. A larger one fails the step (default: 900000) */
            maxBytes?: number;
            /**
             * @description Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Expected status codes (default: 200 to 299). Any other status fails the step */
            status?: number | number[];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
            /** @description Absolute URL without secrets: write them in `headers`, `body` or `json` */
            url: string;
        } | {
            /**
             * @description Run branches at the same time. Its value has the value of each branch by name
             * @constant
             */
            action: "parallel";
            /** @description Branches by name: a list of steps with their own page, or an `http` step. `expect`, `if` and the like belong to the whole step */
            branches: {
                [key: string]: components["schemas"]["BranchOutput"] | components["schemas"]["PageBranchOutput"];
            };
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Maximum number of branches with a page at the same time (default 4) */
            maxParallel?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Save cookies and local storage as a profile, which runs load with `browser.profile`
             * @constant
             */
            action: "saveProfile";
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Name of the profile in the project (default: the one of `browser.profile`) */
            name?: string;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Let an agent reach a goal: it observes the page, calls a model, acts and verifies. Its value is the answer
             * @constant
             */
            action: "goal";
            /**
             * @description Whether actions that worked on the same page are repeated without a model call (default: of the workflow)
             * @enum {string}
             */
            actionCache?: "never" | "auto";
            /** @description Notes about applications of a desktop, by id, e.g. `mousepad`. The model sees them while a window of the application is active */
            appNotes?: {
                [key: string]: string;
            };
            /** @description On a desktop: ids of the applications that it may use, e.g. `mousepad`, `libreoffice-*`; secrets go only into the first (default: the applications that the workflow opened before, the last one first; else the first one that the goal uses) */
            apps?: components["schemas"]["AppRule"][];
            /** @description Effects that need no approval of a person (default: none) */
            autoApprove?: components["schemas"]["ApprovalEffect"][];
            /** @description Condition after the step; checked within its timeout */
            expect?: components["schemas"]["Condition"];
            /** @description The goal in plain words. Write secrets as templates, e.g. `{{inputs.password}}`: the agent may type those named here, and the model sees only their names */
            goal: string;
            /**
             * @description Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description false: the step must not run twice, e.g. placing an order (default: true) */
            idempotent?: boolean;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Maximum number of turns (default 30) */
            maxTurns?: number;
            /**
             * @description What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)
             * @enum {string}
             */
            onInterrupted?: "verify" | "rerun" | "ask" | "fail";
            /** @description JSON Schema of the answer (default: a string) */
            outputSchema?: components["schemas"]["ValueSchemaOutput"];
            /** @description Retries a failed step (default: one attempt) */
            retry?: components["schemas"]["StepRetry"];
            /** @description Notes about sites, by host (`*.` for subdomains). The model sees them while a page of the site is open */
            siteNotes?: {
                [key: string]: string;
            };
            /** @description Timeout in seconds (default 30) */
            timeout?: number;
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Group steps, e.g. for a common `if`
             * @constant
             */
            action: "group";
            /** @description Steps to run if `if` does not hold */
            else?: components["schemas"]["NodeOutput"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["NodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps for each element of a list
             * @constant
             */
            action: "forEach";
            /** @description Variable with the element (default: item) */
            as?: string;
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description The list: an expression, e.g. `steps.rows.value`, or a literal list. Evaluated once, before the first iteration */
            in: components["schemas"]["Expression"] | unknown[];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 1000). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["NodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Run steps on each page of a paginated list
             * @constant
             */
            action: "paginate";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            /** @description Control that opens the next page. The page is the last if it is invisible or disabled */
            next: components["schemas"]["Target"];
            steps: components["schemas"]["NodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Repeat steps until a condition holds, at least once
             * @constant
             */
            action: "loop";
            /** @description Value that each iteration adds to the list, which is the value of the loop: any JSON with templates */
            collect?: unknown;
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Variable with the index of the iteration, from 0: `vars.<name>` */
            index?: string;
            /** @description Maximum number of iterations (default 100). More fail with LOOP_LIMIT_EXCEEDED */
            maxIterations?: number;
            steps: components["schemas"]["NodeOutput"][];
            /** @description Title for people */
            title?: string;
            /** @description Checked after each iteration: an expression, or a condition of the page */
            until: components["schemas"]["Expression"] | components["schemas"]["Condition"];
        } | {
            /**
             * @description Handle failures of steps
             * @constant
             */
            action: "try";
            /** @description Variable with the error, which has `code` and `message` (default: error) */
            as?: string;
            /** @description Steps to run after a failure; an empty list ignores it */
            catch?: components["schemas"]["NodeOutput"][];
            /** @description Steps that always run afterwards */
            finally?: components["schemas"]["NodeOutput"][];
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            steps: components["schemas"]["NodeOutput"][];
            /** @description Title for people */
            title?: string;
        } | {
            /**
             * @description Set variables
             * @constant
             */
            action: "set";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Title for people */
            title?: string;
            /** @description Values by name: a string is an expression, anything else a literal value. Refer to it as `vars.<name>` */
            vars: {
                [key: string]: unknown;
            };
        } | {
            /**
             * @description Run another workflow. Its output is the value of the step
             * @constant
             */
            action: "call";
            /** @description Id of the step. Its value is `{{steps.<id>.value}}`, and its path has the id instead of the position */
            id?: string;
            /** @description Skips the step, with the value null, unless this holds: an expression, or a condition of the page */
            if?: components["schemas"]["Expression"] | components["schemas"]["Condition"];
            /** @description Inputs: any JSON with templates */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Title for people */
            title?: string;
            /** @description Name in `workflows` of this file or in the project: the version published at submit, or a fixed one with `@3` */
            workflow: string;
        };
        /** @description A branch with its own page: steps in order */
        PageBranch: components["schemas"]["BranchNode"][];
        /** @description A branch with its own page: steps in order */
        PageBranchOutput: components["schemas"]["BranchNodeOutput"][];
        /** @description Elements in view during manual control */
        PageInspection: {
            /** @description In document order */
            elements: {
                bounds: {
                    /** @description Thousandths of the viewport */
                    height: number;
                    /** @description Thousandths of the viewport */
                    width: number;
                    /** @description Thousandths of the viewport */
                    x: number;
                    /** @description Thousandths of the viewport */
                    y: number;
                };
                /** @description Index of the element */
                element: number;
                /** @description Whether it accepts input */
                interactive: boolean;
                name: string;
                role: string;
            }[];
            /** @description Locators of the requested element, most stable first; null: none was requested or found */
            target: components["schemas"]["Target"] | null;
            title: string;
            url: string;
        };
        Politeness: {
            /** @description How much of which site; what several name has to keep all of them */
            limits?: components["schemas"]["SiteLimit"][];
            /**
             * @description `report`: an event says when the robots.txt of a site asks not to open what a step opens; nothing is refused (default: report, where `politeness` is given at all)
             * @enum {string}
             */
            robots?: "report" | "ignore";
        };
        /** @description RFC 9457 problem details */
        Problem: {
            /** @enum {string} */
            code: "VALIDATION_FAILED" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "NOT_ACCEPTABLE" | "CONFLICT" | "IDEMPOTENCY_IN_FLIGHT" | "IDEMPOTENCY_MISMATCH" | "GONE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE" | "MIGRATION_FAILED" | "LEASE_LOST" | "WORKER_LOST" | "RUN_HANDED_BACK" | "ASSIGNMENT_NOT_ACCEPTED" | "POISON_RUN" | "RUN_EXPIRED" | "RUN_CANCELLED" | "BUDGET_EXCEEDED" | "OUTPUT_INVALID" | "STEP_STATUS_UNKNOWN" | "ANSWER_TIMED_OUT" | "TARGET_NOT_FOUND" | "TARGET_AMBIGUOUS" | "TARGET_NOT_ACTIONABLE" | "TYPED_TEXT_DIFFERS" | "CONDITION_NOT_MET" | "NAVIGATION_FAILED" | "REQUEST_FAILED" | "EGRESS_BLOCKED" | "SITE_LIMIT_TIMED_OUT" | "EXTRACTION_FAILED" | "TEMPLATE_INVALID" | "EXPRESSION_FAILED" | "LOOP_LIMIT_EXCEEDED" | "STEP_TIMED_OUT" | "UPLOAD_FAILED" | "GOAL_FAILED" | "APPROVAL_REQUIRED" | "MODEL_NOT_CONFIGURED" | "MODEL_UNAVAILABLE" | "MODEL_REFUSED" | "MODEL_INVALID" | "SURFACE_LOST" | "SURFACE_UNAVAILABLE" | "ACTION_UNSUPPORTED" | "PROFILE_NOT_FOUND" | "PROFILE_INVALID" | "PROTOCOL_INVALID" | "PROTOCOL_UNKNOWN" | "PROTOCOL_VERSION" | "FLEET_TOKEN_INVALID";
            detail?: string;
            errors?: {
                column?: number;
                /** @description What is wrong and how to fix it */
                detail: string;
                /** @description Where that is when YAML was sent: lines and columns count from 1 */
                line?: number;
                /** @description JSON Pointer to the field, e.g. `/steps/2/target`; empty for the whole body */
                pointer: string;
            }[];
            /** @description With 401: which installation answers, as `/healthz` names it */
            installation?: string;
            /** @description The request, for the logs */
            instance?: string;
            /** @enum {string} */
            retry: "no" | "same-request" | "new-worker";
            status: number;
            title: string;
            /** @description A URI that names the kind of problem */
            type: string;
        };
        /** @description The signed-in state of a browser, kept under a name */
        Profile: {
            cookieDomains: string[];
            /** @description How many there are */
            cookies: number;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            name: string;
            /** @description Origins with storage */
            origins: string[];
            /** @description The run that saved it; null: it was imported */
            run: string | null;
            /** @description Bytes of JSON */
            size: number;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            updatedAt: string;
            /** @description Goes up each time it is saved or imported */
            version: number;
        };
        ProfilePage: {
            items: components["schemas"]["Profile"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        Project: {
            /**
             * @description What becomes of repaired locators (default: `propose`), and whether what agents did is done again (default: `auto`), where a workflow does not say
             * @default null
             */
            agents: components["schemas"]["ProjectAgents"];
            /**
             * @description What a run may use up, and what all runs may take of models in a month; null: nothing is said
             * @default null
             */
            budgets: components["schemas"]["ProjectBudgets"] | null;
            egress: {
                /** @description Hosts that runs of the project may reach; null: all public ones */
                allow: components["schemas"]["HostPattern"][] | null;
            };
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            /** @description Most runs at work at a time over all fleets; null: no limit */
            maxConcurrentRuns: number | null;
            /**
             * @description Which models runs of the project ask, by what they ask for; what is not said is as the installation has it
             * @default null
             */
            models: components["schemas"]["ProjectModels"] | null;
            name: string;
            /** @description How much of which site all runs of the project may take; null: nothing is said */
            politeness: components["schemas"]["Politeness"] | null;
            retention: components["schemas"]["RetentionPolicy"];
            /** @description Runs by status */
            runs: {
                [key: string]: number;
            };
            slug: string;
            /** @description What models took this month */
            usage: components["schemas"]["MonthlyUsage"];
        };
        ProjectAgents: {
            /** @enum {string} */
            actionCache?: "never" | "auto";
            /** @description `propose`: a person publishes them; `publish`: they are published after verification */
            repairPolicy?: components["schemas"]["RepairPolicy"];
        } | null;
        ProjectBudgets: {
            /** @description Budget of runs without their own */
            default?: components["schemas"]["Budget"];
            /** @description Maximum budget of a run, and the default if there is no other */
            max?: components["schemas"]["Budget"];
            /** @description Model usage of all runs in a calendar month (UTC) */
            month?: components["schemas"]["MonthBudget"];
        };
        ProjectMembership: {
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            name: string;
            role: components["schemas"]["Role"];
            slug: string;
        };
        ProjectModels: {
            act?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
            /** @description For what is not named */
            default?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
            plan?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
            score?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
            synthesize?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
            /**
             * @description `full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)
             * @enum {string}
             */
            trace?: "none" | "full";
            verify?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
            vision?: {
                /**
                 * @description How these models write actions, where it is otherwise than is known of them
                 * @enum {string}
                 */
                dialect?: "calls" | "aura" | "deskpilot" | "echo-prism" | "ui-tars" | "ui-tars-1.5";
                /** @description When a model has not answered so many milliseconds after it was asked (anew for one that is asked because another is away) a second call is made, to the next model or the same; the first answer counts, both are paid for (default: never) */
                hedgeMs?: number;
                /** @description Most tokens of an answer, whatever the request says */
                maxTokens?: number;
                /** @description Instead of that of the prompt; Anthropic is sent none */
                temperature?: number;
                /** @description The first is asked; the next ones, in order, when it is away */
                use: string[];
            };
        };
        /** @description A proposed version of a workflow */
        Proposal: {
            /** @description Who wants it published as soon as its verification has passed; null: not approved */
            approvedBy: string | null;
            /** @description The version that it changes; null: it changes none */
            baseVersion: number | null;
            /** @description The diff: which steps have other locators */
            changes: components["schemas"]["RepairedStep"][];
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            decidedAt: string | null;
            /** @description Who published or rejected it; `heal`: the policy did */
            decidedBy: string | null;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            kind: components["schemas"]["ProposalKind"];
            /** @description What was healed and is not repaired, in sentences */
            notes: string[];
            /** @description `propose`: a person publishes them; `publish`: they are published after verification */
            policy: components["schemas"]["RepairPolicy"];
            /** @description Runs that led to it, the oldest first; at most 20 */
            runs: string[];
            /** @description `superseded`: another proposal, or another published version, took its place */
            status: components["schemas"]["ProposalStatus"];
            verification: components["schemas"]["Verification"];
            /** @description The version that is proposed */
            version: number;
            workflow: {
                /**
                 * Format: uuid
                 * @description UUID
                 */
                id: string;
                name: string;
            };
        };
        /** @enum {string} */
        ProposalKind: "heal" | "compile";
        ProposalPage: {
            items: components["schemas"]["Proposal"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        /** @enum {string} */
        ProposalStatus: "open" | "published" | "rejected" | "superseded";
        PublishProposal: {
            /**
             * @description Publish it although its verification has not finished, or failed
             * @default false
             */
            skipVerification?: boolean;
            /**
             * @description Carry it out once first, with the inputs of the newest run that led to it, also what must not happen twice; it is published once that has passed
             * @default false
             */
            verifyFirst?: boolean;
        };
        PublishWorkflow: {
            /** @description The version to publish (default: the newest) */
            version?: number;
        };
        Question: {
            /**
             * @description The question asks for an element: the answer may contain its `target`
             * @constant
             */
            acceptsTarget?: true;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            askedAt: string;
            choices: {
                /** @description `continue`: the step ran, continue after it; for an agent: approve, or continue with the answer; `retry`: run it (again); `decline`: the agent tries something else; `fail`: end the run as failed */
                choice: components["schemas"]["AnswerChoice"];
                title: string;
            }[];
            /** @description There is no question: the run waits until manual control is released */
            controlToken?: number;
            /**
             * Format: date-time
             * @description The run fails at this time without an answer
             */
            expiresAt: string;
            /** @description Id of that step */
            id: string | null;
            /** @description Identifies the question: the `question` of its answer */
            key: string;
            /** @description Path of the step, e.g. `orders[2]/1`: step ids or positions from 1, iterations from 1. Missing: the number of the step, from 1 */
            path?: string;
            /** @description Number of the question of an agent in the step, from 1. It may be answered in words (`text`) */
            questionNumber?: number;
            /** @description The question in a sentence */
            reason: string;
            /** @description Index of the step it is about */
            step: number;
        };
        ReadDropdown: {
            /** @description Token of the control session */
            token: number;
        };
        Readiness: {
            checks: {
                database: components["schemas"]["DependencyCheck"];
                objects: components["schemas"]["DependencyCheck"];
                redis: components["schemas"]["DependencyCheck"];
            };
            /** @enum {string} */
            status: "ready" | "not ready";
        };
        RepairedStep: {
            /** @description What was acted on, in words */
            element: string;
            /** @description What finds it now, with the templates of the step */
            locators: components["schemas"]["Locator"][];
            /**
             * @description What found the element
             * @enum {string}
             */
            method: "earlier-run" | "similarity" | "text-model" | "vision-model" | "human";
            /** @description Where the step stands */
            path: string;
            /** @description What found nothing; it stays behind the new ones */
            previousLocators: components["schemas"]["Locator"][];
            title: string;
        };
        /** @enum {string} */
        RepairPolicy: "propose" | "publish";
        ResetLink: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            expiresAt: string;
            /** @description Hand it to the user. What is behind the `#` opens the door, and is shown here and never again */
            url: string;
        };
        ResetPassword: {
            /** @description 12 to 200 characters of any kind */
            password: string;
            /** @description What is behind the `#` of the link */
            token: string;
        };
        RetentionPolicy: {
            /** @description Days after its end that the files of a run are kept; null: as long as the run */
            artifactsDays: number | null;
            /** @description Days after its end that the events and the steps of a run are kept; null: as long as the run */
            eventsDays: number | null;
            /** @description Days after its end that a run is kept, with all it has; null: for ever */
            runsDays: number | null;
        };
        RetentionReport: {
            /** @description Files of runs, those of removed runs included */
            artifacts: number;
            /** @description Of all these files */
            bytes: number;
            dryRun: boolean;
            /** @description Those of removed runs included */
            events: number;
            /** @description false: time was up before all was removed; ask again, or leave it to the hourly job */
            isComplete: boolean;
            /** @description When the oldest run that stays was created; null: none stays */
            oldestRemainingRunAt: string | null;
            runs: number;
            /** @description Files for inputs that no run names any more */
            uploads: number;
        };
        RetryDeadLetters: {
            /** @description Only runs that failed with one of these codes */
            errorCodes?: components["schemas"]["DeadLetterCode"][];
            /**
             * @description Also those that were run again before
             * @default false
             */
            includeRetried?: boolean;
            /**
             * @description Most new runs; the oldest dead letters go first
             * @default 50
             */
            limit?: number;
            /** @description Only these runs */
            runs?: string[];
        };
        RetryDeadLettersResult: {
            /** @description Those that were asked for and not run again, with the reason */
            failed: {
                error: components["schemas"]["Error"];
                /**
                 * Format: uuid
                 * @description UUID
                 */
                run: string;
            }[];
            /** @description Dead letters that fit and were beyond the limit */
            remaining: number;
            retried: {
                /**
                 * Format: uuid
                 * @description The new run
                 */
                retry: string;
                /**
                 * Format: uuid
                 * @description UUID
                 */
                run: string;
            }[];
        };
        RetryRun: {
            /** @description Replaces the whole budget */
            budget?: components["schemas"]["Budget"];
            /** @description Replaces all capture settings */
            capture?: components["schemas"]["Capture"];
            /** @description Another fleet */
            fleet?: string;
            /** @description Inputs to change, by name. All others, including secrets, stay the same */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Replaces all labels */
            labels?: {
                [key: string]: string;
            };
            priority?: number;
        };
        RetryRunsResult: {
            /** @description Runs for which it failed, with the error */
            failed: {
                error: components["schemas"]["Error"];
                /**
                 * Format: uuid
                 * @description UUID
                 */
                run: string;
            }[];
            retried: {
                /**
                 * Format: uuid
                 * @description The new run
                 */
                retry: string;
                /**
                 * Format: uuid
                 * @description UUID
                 */
                run: string;
            }[];
        };
        /** @enum {string} */
        Role: "viewer" | "operator" | "admin";
        Run: {
            /** @description Attempts that a worker accepted */
            attempts: number;
            budget: components["schemas"]["Budget"];
            capture: components["schemas"]["CaptureOutput"];
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            /**
             * @description The API key or user that submitted the run; null: Pilothouse itself, or not recorded
             * @default null
             */
            createdBy: components["schemas"]["Actor"] | null;
            /** @description Number of the current or last started step, from 0 */
            currentStep: number | null;
            /** @description Egress settings of the run, without the password of its proxy */
            egress: components["schemas"]["RunEgress"] | null;
            /** @description Number of the current or last attempt */
            epoch: number;
            error: components["schemas"]["RunError"] | null;
            finishedAt: string | null;
            fleet: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            inputs: {
                [key: string]: unknown;
            };
            /** @description Free key-value pairs to find runs by */
            labels: {
                [key: string]: string;
            };
            /** @description Only for one run (`GET /v1/runs/{run}`); null in lists */
            output: unknown | null;
            priority: number;
            /** @description The open question, in `awaiting_user` */
            question: components["schemas"]["Question"] | null;
            retryOf: string | null;
            startedAt: string | null;
            status: components["schemas"]["RunStatus"];
            /** @description Steps in the definition. Loops run them several times */
            stepCount: number;
            /**
             * @default {
             *       "total": 0,
             *       "modelFree": 0,
             *       "retries": 0
             *     }
             */
            steps: {
                /** @description Executed steps without a model call */
                modelFree: number;
                /** @description Failed step attempts that were retried */
                retries: number;
                /** @description Executed steps, including those repeated by another attempt */
                total: number;
            };
            /** @enum {string} */
            surface: "browser" | "desktop" | "android";
            /** @description Usage by tier, if a model was called. Only for one run (`GET /v1/runs/{run}`), within the retention period of events */
            tiers?: {
                /** @description Model calls on this tier, including those in steps of higher tiers */
                calls: number;
                /** @description Duration of these calls in seconds */
                modelSeconds: number;
                /** @description Duration of these steps, including models and people */
                seconds: number;
                /** @description Steps whose highest tier was this one */
                steps: number;
                /** @description `replay`: without a model; `text`: by the list of elements; `vision`: by screenshots; `replan`: another way was planned; `human`: by a person */
                tier: components["schemas"]["Tier"];
                /** @description Input and output tokens of these calls */
                tokens: number;
                /** @description US dollars; calls with unknown price count as 0 */
                usd: number;
            }[];
            /**
             * @description Model usage over all attempts
             * @default {
             *       "calls": 0,
             *       "tokens": 0,
             *       "usd": 0
             *     }
             */
            usage: {
                calls: number;
                /** @description Input and output tokens */
                tokens: number;
                /** @description US dollars; calls with unknown price count as 0 */
                usd: number;
            };
            worker: string | null;
            workflow: {
                id: string | null;
                name: string;
                version: number | null;
            } | null;
        };
        RunEgress: {
            /** @description Hosts that may be reached, and no others; an empty list allows none */
            allow?: components["schemas"]["HostPattern"][];
            /** @description The proxy that everything goes through */
            proxy?: components["schemas"]["UpstreamProxy"];
        };
        RunError: {
            /** @enum {string} */
            code: "VALIDATION_FAILED" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "NOT_ACCEPTABLE" | "CONFLICT" | "IDEMPOTENCY_IN_FLIGHT" | "IDEMPOTENCY_MISMATCH" | "GONE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE" | "MIGRATION_FAILED" | "LEASE_LOST" | "WORKER_LOST" | "RUN_HANDED_BACK" | "ASSIGNMENT_NOT_ACCEPTED" | "POISON_RUN" | "RUN_EXPIRED" | "RUN_CANCELLED" | "BUDGET_EXCEEDED" | "OUTPUT_INVALID" | "STEP_STATUS_UNKNOWN" | "ANSWER_TIMED_OUT" | "TARGET_NOT_FOUND" | "TARGET_AMBIGUOUS" | "TARGET_NOT_ACTIONABLE" | "TYPED_TEXT_DIFFERS" | "CONDITION_NOT_MET" | "NAVIGATION_FAILED" | "REQUEST_FAILED" | "EGRESS_BLOCKED" | "SITE_LIMIT_TIMED_OUT" | "EXTRACTION_FAILED" | "TEMPLATE_INVALID" | "EXPRESSION_FAILED" | "LOOP_LIMIT_EXCEEDED" | "STEP_TIMED_OUT" | "UPLOAD_FAILED" | "GOAL_FAILED" | "APPROVAL_REQUIRED" | "MODEL_NOT_CONFIGURED" | "MODEL_UNAVAILABLE" | "MODEL_REFUSED" | "MODEL_INVALID" | "SURFACE_LOST" | "SURFACE_UNAVAILABLE" | "ACTION_UNSUPPORTED" | "PROFILE_NOT_FOUND" | "PROFILE_INVALID" | "PROTOCOL_INVALID" | "PROTOCOL_UNKNOWN" | "PROTOCOL_VERSION" | "FLEET_TOKEN_INVALID";
            /** @description Facts for people and programs, by error code */
            details?: {
                [key: string]: unknown;
            };
            message: string;
            /**
             * @default no
             * @enum {string}
             */
            retry: "no" | "same-request" | "new-worker";
            /** @description The step that failed; missing if the run failed for another reason */
            step?: {
                /** @description Number of the step in the run */
                index: number;
                /** @description Path of the step, e.g. `3[2]/1` */
                path: string;
                /** @description Its title, with `…` for values */
                title: string;
            };
        };
        /** @description One numbered event of a run */
        RunEvent: {
            /**
             * Format: date-time
             * @description Time of the event, by the clock of its sender
             */
            at: string;
            /** @description Data of the event, by type */
            data: {
                [key: string]: unknown;
            };
            epoch: number;
            /** @enum {string} */
            level: "debug" | "info" | "warn" | "error";
            /** @description One line for people */
            message: string;
            /**
             * Format: uuid
             * @description UUID
             */
            run: string;
            seq: number;
            /** @enum {string} */
            type: "run.queued" | "run.assigned" | "run.requeued" | "run.cancelling" | "run.awaiting_user" | "run.slot_released" | "run.answered" | "run.completed" | "run.failed" | "run.cancelled" | "step.started" | "step.completed" | "step.healed" | "step.failed" | "step.retrying" | "step.skipped" | "branch.step_started" | "branch.step_completed" | "egress.blocked" | "site_limit.waiting" | "site_limit.passed" | "artifact.created" | "model.called" | "run.log" | "agent.turn" | "agent.action_started" | "agent.action_completed" | "agent.answer_sources" | "agent.note" | "control.taken" | "control.released" | "dialog.opened" | "dialog.closed" | "control.action";
            /** @description Version of `data` */
            v: number;
        };
        RunEventList: {
            /** @description Value of `after` for the next request */
            after: number;
            /** @description true: the run has ended and has no further events */
            end: boolean;
            items: components["schemas"]["RunEvent"][];
        };
        RunIds: {
            /** @description Ids of the runs */
            runs: string[];
        };
        RunPage: {
            items: components["schemas"]["Run"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        RunRetention: {
            /** @description Only count; nothing is changed */
            dryRun: boolean;
        };
        /** @enum {string} */
        RunStatus: "queued" | "running" | "awaiting_user" | "completed" | "failed" | "cancelled";
        RunStep: {
            action: string;
            /** @description Started attempts of the step; several with `retry` */
            attempts: number;
            epoch: number | null;
            error: components["schemas"]["Error"] | null;
            finishedAt: string | null;
            id: string | null;
            /** @description Number of the step in the run; without control flow its index */
            index: number;
            /** @description Path, e.g. `orders[2]/1`: step ids or positions from 1, iterations from 1 */
            path: string;
            startedAt: string | null;
            status: components["schemas"]["StepStatus"];
            /** @description Tier of the step; `replay`: without a model */
            tier: components["schemas"]["Tier"] | null;
            title: string;
            /** @description Value that the step read */
            value: unknown | null;
        };
        RunStepList: {
            items: components["schemas"]["RunStep"][];
        };
        RunWorkflow: {
            /** @default {} */
            budget?: components["schemas"]["Budget"];
            /**
             * @default {
             *       "screenshots": "only-on-failure"
             *     }
             */
            capture?: components["schemas"]["Capture"];
            /** @description Egress rules of the run, in addition to those of project and workflow */
            egress?: components["schemas"]["SubmitEgress"];
            /** @description Seconds that the run may wait in the queue before it fails (default: unlimited) */
            expiresIn?: number;
            /** @description Fleet (default: one that serves the surface and the project) */
            fleet?: string;
            /**
             * @description Values of the inputs by name
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            /**
             * @description Free key-value pairs to find runs by
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description Higher priorities run first
             * @default 0
             */
            priority?: number;
            /** @description Version to run (default: the published one) */
            version?: number;
        };
        SavedView: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            /** @description Who kept it: address of the user, or name of the key */
            createdBy: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            name: string;
            /** @description It is yours */
            own: boolean;
            /** @description Filter of the list, as the query of its address: `status=failed&span=24h` */
            search: string;
            /** @description Visible to all members of the project */
            shared: boolean;
        };
        SavedViewList: {
            items: components["schemas"]["SavedView"][];
        };
        SendControlInput: {
            inputs: components["schemas"]["ControlInput"][];
            /** @description Token of the control session */
            token: number;
        };
        Session: {
            /** @description Send it as header `Pilothouse-Csrf` with whatever changes something */
            csrf: string;
            /**
             * Format: date-time
             * @description When the session ends, however much it is used
             */
            expiresAt: string;
            /** @description By name; give the id of one as header `Pilothouse-Project` */
            projects: components["schemas"]["ProjectMembership"][];
            user: components["schemas"]["User"];
        };
        SetupStatus: {
            /** @description There is no user yet: `POST /v1/setup` makes the first */
            needed: boolean;
            /** @description Users may sign in elsewhere, too: send them to `/v1/sessions/current/oidc`; null: with a password only */
            oidc: {
                /** @description What people call the provider */
                name: string;
            } | null;
        };
        SignIn: {
            /** @description E-mail address; upper and lower case are the same */
            email: string;
            password: string;
        };
        SiteLimit: {
            /** @description The site: `shop.example.com`, or `*.example.com` for all below it together; ends in `:port` where only that is meant */
            domain: components["schemas"]["HostPattern"];
            /** @description Most runs at a time that have a page of the site open */
            maxConcurrentRuns?: number;
            /** @description Most pages and requests of steps a minute, evenly spread: 30 is one each two seconds */
            requestsPerMinute?: number;
        };
        Statistics: {
            /** @description Why runs failed, the most frequent first, ten at most */
            failures: {
                /** @enum {string} */
                code: "VALIDATION_FAILED" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "NOT_ACCEPTABLE" | "CONFLICT" | "IDEMPOTENCY_IN_FLIGHT" | "IDEMPOTENCY_MISMATCH" | "GONE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE" | "MIGRATION_FAILED" | "LEASE_LOST" | "WORKER_LOST" | "RUN_HANDED_BACK" | "ASSIGNMENT_NOT_ACCEPTED" | "POISON_RUN" | "RUN_EXPIRED" | "RUN_CANCELLED" | "BUDGET_EXCEEDED" | "OUTPUT_INVALID" | "STEP_STATUS_UNKNOWN" | "ANSWER_TIMED_OUT" | "TARGET_NOT_FOUND" | "TARGET_AMBIGUOUS" | "TARGET_NOT_ACTIONABLE" | "TYPED_TEXT_DIFFERS" | "CONDITION_NOT_MET" | "NAVIGATION_FAILED" | "REQUEST_FAILED" | "EGRESS_BLOCKED" | "SITE_LIMIT_TIMED_OUT" | "EXTRACTION_FAILED" | "TEMPLATE_INVALID" | "EXPRESSION_FAILED" | "LOOP_LIMIT_EXCEEDED" | "STEP_TIMED_OUT" | "UPLOAD_FAILED" | "GOAL_FAILED" | "APPROVAL_REQUIRED" | "MODEL_NOT_CONFIGURED" | "MODEL_UNAVAILABLE" | "MODEL_REFUSED" | "MODEL_INVALID" | "SURFACE_LOST" | "SURFACE_UNAVAILABLE" | "ACTION_UNSUPPORTED" | "PROFILE_NOT_FOUND" | "PROFILE_INVALID" | "PROTOCOL_INVALID" | "PROTOCOL_UNKNOWN" | "PROTOCOL_VERSION" | "FLEET_TOKEN_INVALID";
                runs: number;
            }[];
            /**
             * Format: date-time
             * @description Runs submitted at this instant or later are counted
             */
            from: string;
            /** @description By the hour in which they were submitted, the oldest first; hours without runs too */
            hours: {
                /**
                 * Format: date-time
                 * @description When the hour begins
                 */
                at: string;
                /** @description Runs by status */
                runs: {
                    [key: string]: number;
                };
                /** @description What models took */
                usage: {
                    calls: number;
                    /** @description Sent and received */
                    tokens: number;
                    /** @description US dollars; calls to models whose price is not known count as nought */
                    usd: number;
                };
            }[];
            /** @description Steps that needed no model, of all; null: there were none */
            modelFree: number | null;
            /** @description Runs by status */
            runs: {
                [key: string]: number;
            };
            /** @description From the first attempt of a completed run to its end; null: none completed */
            seconds: {
                median: number;
                p95: number;
            } | null;
            steps: {
                /** @description Those of them that needed no model */
                modelFree: number;
                /** @description Attempts of steps that failed and were followed by another one */
                retries: number;
                /** @description Steps that were carried out */
                total: number;
            };
            /** @description Completed ones of those that completed or failed; null: none did */
            success: number | null;
            /** @description What models took */
            usage: {
                calls: number;
                /** @description Sent and received */
                tokens: number;
                /** @description US dollars; calls to models whose price is not known count as nought */
                usd: number;
            };
        };
        /** @description When a step that failed is attempted again */
        StepRetry: {
            /** @description Seconds before the second attempt (default 1). Doubles before each further attempt, up to 60 */
            backoffSeconds?: number;
            /** @description Attempts in all, the first one included */
            maxAttempts: number;
            /** @description Error codes after which it is attempted again (default: TARGET_NOT_FOUND, TARGET_AMBIGUOUS, TARGET_NOT_ACTIONABLE, TYPED_TEXT_DIFFERS, CONDITION_NOT_MET, NAVIGATION_FAILED, REQUEST_FAILED, SITE_LIMIT_TIMED_OUT, EXTRACTION_FAILED, STEP_TIMED_OUT, UPLOAD_FAILED, MODEL_UNAVAILABLE, MODEL_INVALID) */
            on?: ("TARGET_NOT_FOUND" | "TARGET_AMBIGUOUS" | "TARGET_NOT_ACTIONABLE" | "TYPED_TEXT_DIFFERS" | "CONDITION_NOT_MET" | "NAVIGATION_FAILED" | "REQUEST_FAILED" | "EGRESS_BLOCKED" | "SITE_LIMIT_TIMED_OUT" | "EXTRACTION_FAILED" | "STEP_TIMED_OUT" | "UPLOAD_FAILED" | "GOAL_FAILED" | "MODEL_UNAVAILABLE" | "MODEL_REFUSED" | "MODEL_INVALID")[];
        };
        /** @enum {string} */
        StepStatus: "pending" | "running" | "retrying" | "completed" | "failed" | "skipped";
        /** @description Cookies, storage and databases, as Playwright's `storageState({ indexedDB: true })` writes them */
        StorageState: {
            cookies: {
                _crHasCrossSiteAncestor?: boolean;
                /** @description With a dot before it the cookie is for the subdomains, too */
                domain: string;
                /**
                 * @description Seconds since 1970; -1: when the browser is closed
                 * @default -1
                 */
                expires?: number;
                /** @default false */
                httpOnly?: boolean;
                name: string;
                partitionKey?: string;
                /**
                 * Format: starts_with
                 * @default /
                 */
                path?: string;
                /**
                 * @default Lax
                 * @enum {string}
                 */
                sameSite?: "Strict" | "Lax" | "None";
                /** @default false */
                secure?: boolean;
                value: string;
            }[];
            origins: {
                indexedDB?: {
                    name: string;
                    stores: {
                        autoIncrement: boolean;
                        indexes: {
                            keyPath?: string;
                            keyPathArray?: string[];
                            multiEntry: boolean;
                            name: string;
                            unique: boolean;
                        }[];
                        keyPath?: string;
                        keyPathArray?: string[];
                        name: string;
                        records: {
                            /** @description Any JSON */
                            key?: unknown;
                            /** @description Any JSON */
                            keyEncoded?: unknown;
                            /** @description Any JSON */
                            value?: unknown;
                            /** @description Any JSON */
                            valueEncoded?: unknown;
                        }[];
                    }[];
                    version: number;
                }[];
                /** @default [] */
                localStorage?: {
                    name: string;
                    value: string;
                }[];
                origin: string;
                /** @description Of the window; Playwright knows none */
                sessionStorage?: {
                    name: string;
                    value: string;
                }[];
            }[];
        };
        SubmitA2ui: {
            /** @description What the client can draw; left out, it is the basic catalogue of 0.9 */
            a2uiClientCapabilities?: components["schemas"]["A2uiClientCapabilities"];
            run: components["schemas"]["SubmitRun"];
        };
        SubmitEgress: {
            /** @description Hosts that may be reached, and no others; an empty list allows none */
            allow?: components["schemas"]["HostPattern"][];
            /** @description The proxy that everything goes through */
            proxy?: {
                /** @description Encrypted at rest, never shown again, masked in everything stored */
                password?: string;
                /** @description `http://host:port`, `https://host:port` or `socks5://host:port` */
                server: string;
                username?: string;
            };
        };
        SubmitRun: {
            /** @description With `goal` on a desktop: ids of the applications that it may use. The first is opened before the goal begins, unless it ends in `*` */
            apps?: components["schemas"]["AppRule"][];
            /** @default {} */
            budget?: components["schemas"]["Budget"];
            /**
             * @default {
             *       "screenshots": "only-on-failure"
             *     }
             */
            capture?: components["schemas"]["Capture"];
            /** @description A definition to run without storing it as a workflow */
            definition?: components["schemas"]["WorkflowDefinition"];
            /** @description Egress rules of the run, in addition to those of project and workflow */
            egress?: components["schemas"]["SubmitEgress"];
            /** @description Seconds that the run may wait in the queue before it fails (default: unlimited) */
            expiresIn?: number;
            /** @description Fleet (default: one that serves the surface and the project) */
            fleet?: string;
            /** @description Goal for an agent, in plain words */
            goal?: string;
            /**
             * @description Values of the inputs by name
             * @default {}
             */
            inputs?: {
                [key: string]: unknown;
            };
            /**
             * @description Free key-value pairs to find runs by
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /** @description With `goal`: JSON Schema of the answer (default: a string) */
            outputSchema?: components["schemas"]["ValueSchema"];
            /**
             * @description Higher priorities run first
             * @default 0
             */
            priority?: number;
            /** @description Steps to run without a workflow */
            steps?: components["schemas"]["Node"][];
            /**
             * @description With `steps` or `goal` (default: browser)
             * @enum {string}
             */
            surface?: "browser" | "desktop";
            /**
             * Format: uri
             * @description With `goal`: URL of the first page
             */
            url?: string;
            /** @description Version of that workflow (default: the published one) */
            version?: number;
            /** @description Name or id of a workflow of the project */
            workflow?: string;
        };
        Subworkflow: {
            description?: string;
            /** @default {} */
            inputs?: {
                [key: string]: components["schemas"]["WorkflowInput"];
            };
            /** @description The value of the `call` */
            output?: unknown;
            outputSchema?: components["schemas"]["ValueSchema"];
            steps: components["schemas"]["Node"][];
            title?: string;
        };
        SubworkflowOutput: {
            description?: string;
            /** @default {} */
            inputs: {
                [key: string]: components["schemas"]["WorkflowInputOutput"];
            };
            /** @description The value of the `call` */
            output?: unknown;
            outputSchema?: components["schemas"]["ValueSchemaOutput"];
            steps: components["schemas"]["NodeOutput"][];
            title?: string;
        };
        Table: {
            /** @description Name in the result → header, or how to read the column */
            columns: {
                [key: string]: string | components["schemas"]["Column"];
            };
            /** @description Stop after this many pages (default 100) */
            maxPages?: number;
            /** @description Control that opens the next page */
            next?: components["schemas"]["Target"];
        };
        /** @description A locator, or a list of locators tried in order */
        Target: components["schemas"]["Locator"] | components["schemas"]["Locator"][];
        /** @enum {string} */
        Tier: "replay" | "text" | "vision" | "replan" | "human";
        Transfer: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            expiresAt: string;
            /** @default {} */
            headers: {
                [key: string]: string;
            };
            /** @enum {string} */
            method: "GET" | "PUT";
            url: string;
        };
        UpdateFleet: {
            /** @description Free slots kept warm, with work or without; 0: the fleet goes down to `minWorkers` */
            idleSlots?: number;
            /** @description Most workers */
            maxWorkers?: number;
            /** @description Fewest workers */
            minWorkers?: number;
        };
        UpdateMember: {
            role: components["schemas"]["Role"];
        };
        UpdateProject: {
            /** @description What becomes of repaired locators (default: `propose`), and whether what agents did is done again (default: `auto`), where a workflow does not say */
            agents?: components["schemas"]["ProjectAgents"];
            /** @description What a run may use up, and what all runs may take of models in a month; null: nothing is said */
            budgets?: components["schemas"]["ProjectBudgets"] | null;
            egress?: {
                /** @description Hosts that runs of the project may reach; null: all public ones */
                allow: components["schemas"]["HostPattern"][] | null;
            };
            /** @description Most runs at work at a time over all fleets; null: no limit */
            maxConcurrentRuns?: number | null;
            /** @description Which models runs of the project ask, by what they ask for; what is not said is as the installation has it */
            models?: components["schemas"]["ProjectModels"] | null;
            /** @description What people call it */
            name?: string;
            /** @description How much of which site all runs of the project may take; null: nothing is said */
            politeness?: components["schemas"]["Politeness"] | null;
            retention?: {
                /** @description Days after its end that the files of a run are kept; null: as long as the run */
                artifactsDays?: number | null;
                /** @description Days after its end that the events and the steps of a run are kept; null: as long as the run */
                eventsDays?: number | null;
                /** @description Days after its end that a run is kept, with all it has; null: for ever */
                runsDays?: number | null;
            };
        };
        Upload: {
            contentType: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            name: string;
            size: number;
            transfer: components["schemas"]["Transfer"];
        };
        UpstreamProxy: {
            /** @description `http://host:port`, `https://host:port` or `socks5://host:port` */
            server: string;
            username?: string;
        };
        User: {
            email: string;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            name: string;
        };
        /** @description A JSON Schema for a value */
        ValueSchema: {
            additionalProperties?: boolean | components["schemas"]["ValueSchema"];
            anyOf?: components["schemas"]["ValueSchema"][];
            /** @description Any JSON */
            const?: unknown;
            /** @description Any JSON */
            default?: unknown;
            description?: string;
            enum?: unknown[];
            exclusiveMaximum?: number;
            exclusiveMinimum?: number;
            /** @enum {string} */
            format?: "date" | "date-time" | "email" | "uri" | "uuid";
            items?: components["schemas"]["ValueSchema"];
            maximum?: number;
            maxItems?: number;
            maxLength?: number;
            minimum?: number;
            minItems?: number;
            minLength?: number;
            multipleOf?: number;
            /** @description Regular expression (ECMAScript with flag u), without look-around and back-references */
            pattern?: string;
            properties?: {
                [key: string]: components["schemas"]["ValueSchema"];
            };
            required?: string[];
            title?: string;
            /** @enum {string} */
            type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";
            uniqueItems?: boolean;
        };
        /** @description A JSON Schema for a value */
        ValueSchemaOutput: {
            additionalProperties?: boolean | components["schemas"]["ValueSchemaOutput"];
            anyOf?: components["schemas"]["ValueSchemaOutput"][];
            /** @description Any JSON */
            const?: unknown;
            /** @description Any JSON */
            default?: unknown;
            description?: string;
            enum?: unknown[];
            exclusiveMaximum?: number;
            exclusiveMinimum?: number;
            /** @enum {string} */
            format?: "date" | "date-time" | "email" | "uri" | "uuid";
            items?: components["schemas"]["ValueSchemaOutput"];
            maximum?: number;
            maxItems?: number;
            maxLength?: number;
            minimum?: number;
            minItems?: number;
            minLength?: number;
            multipleOf?: number;
            /** @description Regular expression (ECMAScript with flag u), without look-around and back-references */
            pattern?: string;
            properties?: {
                [key: string]: components["schemas"]["ValueSchemaOutput"];
            };
            required?: string[];
            title?: string;
            /** @enum {string} */
            type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";
            uniqueItems?: boolean;
        };
        Verification: {
            /** @description Why it was not tried, did not pass, or was given up */
            reason: string | null;
            /** @description The run that tries it */
            run: string | null;
            /**
             * @description `none`: it was not tried, see `reason`; `passed`: it completed, without a call to a model and with nothing healed
             * @enum {string}
             */
            state: "none" | "running" | "passed" | "failed";
        };
        Worker: {
            busy: number;
            /** @description It takes nothing new, and stays */
            cordoned: boolean;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            lastSeenAt: string;
            name: string;
            /** @description Runs of the project that it holds; `busy` counts those of others, too */
            runs: {
                /**
                 * Format: uuid
                 * @description UUID
                 */
                id: string;
                name: string;
            }[];
            slots: number;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            startedAt: string;
            state: components["schemas"]["WorkerState"];
            version: string;
        };
        /** @enum {string} */
        WorkerState: "starting" | "ready" | "draining" | "disconnected";
        Workflow: {
            archived: boolean;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            description: string | null;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            latestVersion: number;
            name: string;
            publishedVersion: number | null;
            /** @enum {string} */
            surface: "browser" | "desktop" | "android";
            title: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            updatedAt: string;
        };
        /** @description A Pilothouse workflow */
        WorkflowDefinition: {
            /** @description For editors; not stored */
            $schema?: string;
            /**
             * @description Whether agents repeat actions that worked on the same page without a model call (default: of the project, which is `auto`)
             * @enum {string}
             */
            actionCache?: "never" | "auto";
            /** @description Seconds to answer a question before the run fails (default: 86400, a day) */
            answerTimeout?: number;
            /** @description Browser settings */
            browser?: components["schemas"]["BrowserOptions"];
            description?: string;
            /** @description Desktop settings, for `surface: desktop` */
            desktop?: components["schemas"]["DesktopOptions"];
            /** @description Egress rules of its runs, in addition to those of project and run */
            egress?: components["schemas"]["WorkflowEgress"];
            /**
             * @description `auto`: when an element is not found, try locators of earlier runs, similar elements and models; `ask`: finally ask a person to point at it (default: never, the step fails, because healing acts on an element that the workflow does not name)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /**
             * @description Typed inputs by name
             * @default {}
             */
            inputs?: {
                [key: string]: components["schemas"]["WorkflowInput"];
            };
            /** @description Name in the project */
            name: string;
            /**
             * @description Policy for a run whose worker was lost: `resume` continues from its last safe point, `restart` starts again, `fail` ends it (default: resume)
             * @enum {string}
             */
            onWorkerLost?: "resume" | "restart" | "fail";
            /** @description The result of a run: any JSON with templates, e.g. `{rows: "{{steps.rows.value}}"}` */
            output?: unknown;
            /** @description JSON Schema of the output */
            outputSchema?: components["schemas"]["ValueSchema"];
            /** @description Site limits of all runs of this workflow, in addition to those of the project */
            politeness?: components["schemas"]["Politeness"];
            /** @description Policy for locators that healed a step (default: of the project, which is `propose`) */
            repairPolicy?: components["schemas"]["RepairPolicy"];
            steps: components["schemas"]["Node"][];
            /**
             * @default browser
             * @enum {string}
             */
            surface?: "browser" | "desktop";
            /** @description Timeout of a run in seconds */
            timeout?: number;
            title?: string;
            /**
             * @description `full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)
             * @enum {string}
             */
            trace?: "none" | "full";
            /** @description Workflows for `call`. A run also includes those of the project, as `name@version` */
            workflows?: {
                [key: string]: components["schemas"]["Subworkflow"];
            };
        };
        /** @description A Pilothouse workflow */
        WorkflowDefinitionOutput: {
            /** @description For editors; not stored */
            $schema?: string;
            /**
             * @description Whether agents repeat actions that worked on the same page without a model call (default: of the project, which is `auto`)
             * @enum {string}
             */
            actionCache?: "never" | "auto";
            /** @description Seconds to answer a question before the run fails (default: 86400, a day) */
            answerTimeout?: number;
            /** @description Browser settings */
            browser?: components["schemas"]["BrowserOptions"];
            description?: string;
            /** @description Desktop settings, for `surface: desktop` */
            desktop?: components["schemas"]["DesktopOptions"];
            /** @description Egress rules of its runs, in addition to those of project and run */
            egress?: components["schemas"]["WorkflowEgress"];
            /**
             * @description `auto`: when an element is not found, try locators of earlier runs, similar elements and models; `ask`: finally ask a person to point at it (default: never, the step fails, because healing acts on an element that the workflow does not name)
             * @enum {string}
             */
            heal?: "never" | "auto" | "ask";
            /**
             * @description Typed inputs by name
             * @default {}
             */
            inputs: {
                [key: string]: components["schemas"]["WorkflowInputOutput"];
            };
            /** @description Name in the project */
            name: string;
            /**
             * @description Policy for a run whose worker was lost: `resume` continues from its last safe point, `restart` starts again, `fail` ends it (default: resume)
             * @enum {string}
             */
            onWorkerLost?: "resume" | "restart" | "fail";
            /** @description The result of a run: any JSON with templates, e.g. `{rows: "{{steps.rows.value}}"}` */
            output?: unknown;
            /** @description JSON Schema of the output */
            outputSchema?: components["schemas"]["ValueSchemaOutput"];
            /** @description Site limits of all runs of this workflow, in addition to those of the project */
            politeness?: components["schemas"]["Politeness"];
            /** @description Policy for locators that healed a step (default: of the project, which is `propose`) */
            repairPolicy?: components["schemas"]["RepairPolicy"];
            steps: components["schemas"]["NodeOutput"][];
            /**
             * @default browser
             * @enum {string}
             */
            surface: "browser" | "desktop";
            /** @description Timeout of a run in seconds */
            timeout?: number;
            title?: string;
            /**
             * @description `full`: what models were asked and answered is kept as files of the run, secrets masked; of a run, else of its workflow, else of the project (default: none)
             * @enum {string}
             */
            trace?: "none" | "full";
            /** @description Workflows for `call`. A run also includes those of the project, as `name@version` */
            workflows?: {
                [key: string]: components["schemas"]["SubworkflowOutput"];
            };
        };
        WorkflowDetail: {
            archived: boolean;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            definition: components["schemas"]["WorkflowDefinitionOutput"];
            description: string | null;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            latestVersion: number;
            name: string;
            /** @description Whether it is the published one */
            published: boolean;
            publishedVersion: number | null;
            /** @description The submitted YAML file with its comments; null: it was not submitted as YAML */
            source: string | null;
            /** @enum {string} */
            surface: "browser" | "desktop" | "android";
            title: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            updatedAt: string;
            /** @description The version shown */
            version: number;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            versionCreatedAt: string;
        };
        WorkflowEgress: {
            /** @description Hosts that may be reached, and no others; an empty list allows none */
            allow?: components["schemas"]["HostPattern"][];
        };
        WorkflowInput: {
            /** @description Default value. Without it the input is required, unless `optional` */
            default?: unknown;
            description?: string;
            enum?: unknown[];
            /** @enum {string} */
            format?: "date" | "date-time" | "email" | "uri" | "uuid";
            items?: components["schemas"]["ValueSchema"];
            maximum?: number;
            maxItems?: number;
            maxLength?: number;
            minimum?: number;
            minItems?: number;
            minLength?: number;
            /** @description true: may be missing; templates see null */
            optional?: boolean;
            /** @description Regular expression (ECMAScript with flag u), without look-around and back-references */
            pattern?: string;
            properties?: {
                [key: string]: components["schemas"]["ValueSchema"];
            };
            required?: string[];
            /** @description Encrypted at rest, fetched at the moment of typing, masked in everything stored; only for strings */
            secret?: boolean;
            title?: string;
            /**
             * @description `file` is the id of an upload
             * @enum {string}
             */
            type: "string" | "number" | "integer" | "boolean" | "array" | "object" | "file";
        };
        WorkflowInputOutput: {
            /** @description Default value. Without it the input is required, unless `optional` */
            default?: unknown;
            description?: string;
            enum?: unknown[];
            /** @enum {string} */
            format?: "date" | "date-time" | "email" | "uri" | "uuid";
            items?: components["schemas"]["ValueSchemaOutput"];
            maximum?: number;
            maxItems?: number;
            maxLength?: number;
            minimum?: number;
            minItems?: number;
            minLength?: number;
            /** @description true: may be missing; templates see null */
            optional?: boolean;
            /** @description Regular expression (ECMAScript with flag u), without look-around and back-references */
            pattern?: string;
            properties?: {
                [key: string]: components["schemas"]["ValueSchemaOutput"];
            };
            required?: string[];
            /** @description Encrypted at rest, fetched at the moment of typing, masked in everything stored; only for strings */
            secret?: boolean;
            title?: string;
            /**
             * @description `file` is the id of an upload
             * @enum {string}
             */
            type: "string" | "number" | "integer" | "boolean" | "array" | "object" | "file";
        };
        WorkflowPage: {
            items: components["schemas"]["WorkflowSummary"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
        WorkflowStats: {
            /** @description Completed runs among them */
            completed: number;
            /** @description Origin of that version: repaired locators, or a compiled agent run; null: a person */
            createdBy: ("heal" | "compile") | null;
            /** @description Its last runs that completed or failed, at most 20 */
            finishedRuns: number;
            lastRun: {
                /**
                 * Format: date-time
                 * @description ISO 8601 instant in UTC
                 */
                createdAt: string;
                /**
                 * Format: uuid
                 * @description UUID
                 */
                id: string;
                status: components["schemas"]["RunStatus"];
            } | null;
            /** @description Failed step attempts in these runs that were retried */
            retries: number;
            thumbnail: {
                /**
                 * @description `upload`: set by a person; `run`: the last screenshot of a completed run
                 * @enum {string}
                 */
                source: "upload" | "run";
                /** @description Signed URL, valid for 15 minutes */
                url: string;
            } | null;
            /** @description Whether the published version, or else the newest, has a goal step */
            usesAgent: boolean;
        };
        /** @description A workflow of a project with statistics of its runs */
        WorkflowSummary: {
            archived: boolean;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            description: string | null;
            /**
             * Format: uuid
             * @description UUID
             */
            id: string;
            latestVersion: number;
            name: string;
            publishedVersion: number | null;
            stats: components["schemas"]["WorkflowStats"];
            /** @enum {string} */
            surface: "browser" | "desktop" | "android";
            title: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            updatedAt: string;
        };
        WorkflowThumbnail: {
            /**
             * Format: base64
             * @description A JPEG, a PNG or a WebP, in base64
             */
            image: string;
        };
        WorkflowVersion: {
            /**
             * Format: date-time
             * @description ISO 8601 instant in UTC
             */
            createdAt: string;
            definition: components["schemas"]["WorkflowDefinitionOutput"];
            published: boolean;
            /** @description The submitted YAML file with its comments; null: it was not submitted as YAML */
            source: string | null;
            version: number;
        };
        WorkflowVersionPage: {
            items: components["schemas"]["WorkflowVersion"][];
            /** @description Where the next page begins; null on the last one */
            nextCursor: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readDocsAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the file */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                    "text/javascript": string;
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description One does not; its sentence says what is wrong */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    readWorkflowSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Schema */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/schema+json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    submitRunA2ui: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of your own. The same key with the same request gives the same run for 24 hours; with another request it is refused */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitA2ui"];
            };
        };
        responses: {
            /** @description Messages of A2UI, one each `data:` line; the `id` is the number of the last event that they tell */
            200: {
                headers: {
                    /** @description Where the run is watched on */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description None of the requested formats is available (`NOT_ACCEPTABLE`) */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`); The first request with this key is still in progress (`IDEMPOTENCY_IN_FLIGHT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key was used with another body (`IDEMPOTENCY_MISMATCH`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description The key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only this operation, e.g. `createApiKey` */
                action?: string;
                /** @description Only what this user or key did */
                actor?: string;
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
                /** @description Only entries about this resource, including the entry that created it: the id, or the name that the request used */
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Only runs that failed with one of these codes */
                errorCode?: components["schemas"]["DeadLetterCode"][];
                /** @description Most items of the answer */
                limit?: number;
                /** @description Only those that were run again, or only those that were not */
                retried?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dead letters */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryDeadLetters"];
            };
        };
        responses: {
            /** @description The new runs are durable and in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryDeadLettersResult"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFleets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetList"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readFleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateFleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateFleet"];
            };
        };
        responses: {
            /** @description The fleet, changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFleetDecisions: {
        parameters: {
            query?: {
                /** @description How many */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decisions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetDecisionList"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readFleetHistory: {
        parameters: {
            query?: {
                /** @description How far back */
                hours?: number;
            };
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 240 spans */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetHistory"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseFleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet, paused */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeFleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet, at work again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cordonWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
                /** @description Id of the worker */
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet with the worker */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    drainWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
                /** @description Id of the worker */
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet with the worker */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    uncordonWorker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the fleet */
                fleet: string;
                /** @description Id of the worker */
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet with the worker */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invitations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Invite"];
            };
        };
        responses: {
            /** @description The invitation, with its link */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationCreated"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation */
                invitation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was taken back */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            /** @description The user is a member, and signed in */
            201: {
                headers: {
                    /** @description The session, for this host and not for scripts */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`RATE_LIMITED`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lookUpInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LookUpInvitation"];
            };
        };
        responses: {
            /** @description The invitation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationDetails"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Key or user, role and project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentPrincipal"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is no longer a member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMember"];
            };
        };
        responses: {
            /** @description The member, changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetLink"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the object */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The object */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The part that `Range` asks for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The object is as `If-None-Match` says */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The range lies outside of the object */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    writeObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the object */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The object is stored */
            200: {
                headers: {
                    /** @description Names this content */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A file could not be stored or read (`UPLOAD_FAILED`) */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Path of the object */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its size and type, in the headers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPassword"];
            };
        };
        responses: {
            /** @description The password is set, and the user signed in */
            200: {
                headers: {
                    /** @description The session, for this host and not for scripts */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`RATE_LIMITED`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProfiles: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfilePage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the profile */
                profile: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StorageState"];
            };
        };
        responses: {
            /** @description The profile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the profile */
                profile: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProject"];
            };
        };
        responses: {
            /** @description The project */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectMembership"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProject"];
            };
        };
        responses: {
            /** @description The project, changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProposals: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
                /** @description Only those that this run led to */
                run?: string;
                /** @description Only those in one of these states */
                status?: components["schemas"]["ProposalStatus"][];
                /** @description Only those of this workflow, by name or id */
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Proposals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the proposal */
                proposal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposal */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the proposal */
                proposal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishProposal"];
            };
        };
        responses: {
            /** @description The proposal */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rejectProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the proposal */
                proposal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposal */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queues of the fleets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetQueueList"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRetention"];
            };
        };
        responses: {
            /** @description What was removed, or would be */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionReport"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Only runs created at this instant or later */
                createdAfter?: string;
                /** @description Only runs created before this instant */
                createdBefore?: string;
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Only runs that failed with one of these codes */
                error?: ("VALIDATION_FAILED" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "NOT_ACCEPTABLE" | "CONFLICT" | "IDEMPOTENCY_IN_FLIGHT" | "IDEMPOTENCY_MISMATCH" | "GONE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE" | "MIGRATION_FAILED" | "LEASE_LOST" | "WORKER_LOST" | "RUN_HANDED_BACK" | "ASSIGNMENT_NOT_ACCEPTED" | "POISON_RUN" | "RUN_EXPIRED" | "RUN_CANCELLED" | "BUDGET_EXCEEDED" | "OUTPUT_INVALID" | "STEP_STATUS_UNKNOWN" | "ANSWER_TIMED_OUT" | "TARGET_NOT_FOUND" | "TARGET_AMBIGUOUS" | "TARGET_NOT_ACTIONABLE" | "TYPED_TEXT_DIFFERS" | "CONDITION_NOT_MET" | "NAVIGATION_FAILED" | "REQUEST_FAILED" | "EGRESS_BLOCKED" | "SITE_LIMIT_TIMED_OUT" | "EXTRACTION_FAILED" | "TEMPLATE_INVALID" | "EXPRESSION_FAILED" | "LOOP_LIMIT_EXCEEDED" | "STEP_TIMED_OUT" | "UPLOAD_FAILED" | "GOAL_FAILED" | "APPROVAL_REQUIRED" | "MODEL_NOT_CONFIGURED" | "MODEL_UNAVAILABLE" | "MODEL_REFUSED" | "MODEL_INVALID" | "SURFACE_LOST" | "SURFACE_UNAVAILABLE" | "ACTION_UNSUPPORTED" | "PROFILE_NOT_FOUND" | "PROFILE_INVALID" | "PROTOCOL_INVALID" | "PROTOCOL_UNKNOWN" | "PROTOCOL_VERSION" | "FLEET_TOKEN_INVALID")[];
                /** @description Only runs on this fleet */
                fleet?: string;
                /** @description Only runs with this label, as `name:value`; if repeated, with all of them */
                labels?: string[];
                /** @description Most items of the answer */
                limit?: number;
                /** @description Only retries of this run */
                retryOf?: string;
                /** @description Only runs in one of these statuses */
                status?: components["schemas"]["RunStatus"][];
                /** @description Only runs on surfaces of this kind */
                surface?: "browser" | "desktop" | "android";
                /** @description Only runs whose workflow name, goal or error message contains this text, or whose id starts with it */
                text?: string;
                /** @description Only runs of this workflow: its name or id */
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of your own. The same key with the same request gives the same run for 24 hours; with another request it is refused */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitRun"];
            };
        };
        responses: {
            /** @description The run is stored and queued */
            202: {
                headers: {
                    /** @description `true` when an earlier request with the same key submitted it */
                    "Idempotency-Replayed"?: string;
                    /** @description URL of the run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`); The first request with this key is still in progress (`IDEMPOTENCY_IN_FLIGHT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key was used with another body (`IDEMPOTENCY_MISMATCH`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readRun: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end of the run */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamRunA2ui: {
        parameters: {
            query?: {
                /** @description Version: `0.9` or `0.8`; any other is answered with 406 */
                a2ui?: string;
                /** @description As `Last-Event-ID`, where no header can be sent */
                after?: number;
            };
            header?: {
                /** @description Number of the last event that was told */
                "last-event-id"?: string;
            };
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Messages of A2UI, one each `data:` line; the `id` is the number of the last event that they tell */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The run has ended and everything was told */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description None of the requested formats is available (`NOT_ACCEPTABLE`) */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendA2uiMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["A2uiClientMessage"];
            };
        };
        responses: {
            /** @description It was done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description What the renderer could not draw was taken note of */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answerRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerRun"];
            };
        };
        responses: {
            /** @description The run continues */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunArtifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run is cancelled */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The worker was asked to stop */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compileRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompileRun"];
            };
        };
        responses: {
            /** @description The workflow */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompileRunResult"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CompleteRun"];
            };
        };
        responses: {
            /** @description The run is completed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    takeControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The control session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ControlSession"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    releaseControl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    copySelection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopySelection"];
            };
        };
        responses: {
            /** @description The copied text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CopiedText"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readDropdown: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadDropdown"];
            };
        };
        responses: {
            /** @description The options */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DropdownOptions"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendControlInput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendControlInput"];
            };
        };
        responses: {
            /** @description The input was forwarded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ControlSession"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inspectPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InspectPage"];
            };
        };
        responses: {
            /** @description The elements in view */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageInspection"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readRunDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definition */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDefinitionOutput"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                /** @description Only events with a higher number */
                after?: number;
                /** @description Instead of the `Accept` header */
                format?: "sse" | "json";
                /** @description JSON only: maximum number of events */
                limit?: number;
            };
            header?: {
                /** @description `text/event-stream` or `application/json` */
                accept?: string;
                /** @description Number of the last event that was received */
                "last-event-id"?: string;
            };
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, past and future */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEventList"];
                    "text/event-stream": string;
                };
            };
            /** @description The run has ended and there are no further events */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description None of the requested formats is available (`NOT_ACCEPTABLE`) */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watchRun: {
        parameters: {
            query?: {
                /** @description Frames that the viewer wants at most. Another viewer of the run may cause more */
                framesPerSecond?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The frames */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "multipart/x-mixed-replace": string;
                };
            };
            /** @description The run has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reopenRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run is queued */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of your own. The same key with the same request gives the same run for 24 hours; with another request it is refused */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryRun"];
            };
        };
        responses: {
            /** @description The run is stored and queued */
            202: {
                headers: {
                    /** @description `true` when an earlier request with the same key submitted it */
                    "Idempotency-Replayed"?: string;
                    /** @description URL of the run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`); The first request with this key is still in progress (`IDEMPOTENCY_IN_FLIGHT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key was used with another body (`IDEMPOTENCY_MISMATCH`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunSteps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStepList"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource is no longer available (`GONE`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunIds"];
            };
        };
        responses: {
            /** @description Result for each run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelRunsResult"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryRuns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunIds"];
            };
        };
        responses: {
            /** @description The new runs are stored and queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryRunsResult"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSavedViews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The views */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViewList"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSavedView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSavedView"];
            };
        };
        responses: {
            /** @description The view */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSavedView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view */
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, and which projects are open to them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The user is signed in */
            200: {
                headers: {
                    /** @description The session, for this host and not for scripts */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`RATE_LIMITED`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended */
            204: {
                headers: {
                    /** @description Takes the cookie away */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startOidc: {
        parameters: {
            query?: {
                /** @description Path of the console to go to once signed in */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the provider */
            302: {
                headers: {
                    /** @description Where the user signs in */
                    Location?: string;
                    /** @description What was begun, for ten minutes */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    finishOidc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the console */
            302: {
                headers: {
                    /** @description A page of the console */
                    Location?: string;
                    /** @description The session */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description The password is changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`RATE_LIMITED`) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether and how */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupStatus"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InitialSetup"];
            };
        };
        responses: {
            /** @description The user is there and signed in */
            201: {
                headers: {
                    /** @description The session, for this host and not for scripts */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readStatistics: {
        parameters: {
            query?: {
                /** @description So many hours, the one at work included */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUpload"];
            };
        };
        responses: {
            /** @description Where to send the file */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkflows: {
        parameters: {
            query?: {
                /** @description `true`: only archived ones (default: only those that are not) */
                archived?: "true" | "false";
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
                /** @description Only workflows for this surface */
                surface?: "browser" | "desktop" | "android";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of workflows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWorkflow: {
        parameters: {
            query?: {
                /** @description `true`: publish the version at once; as publishing does, this needs the role `admin` */
                publish?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowDefinition"];
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The workflow */
            201: {
                headers: {
                    /** @description Where the workflow is */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDetail"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readWorkflow: {
        parameters: {
            query?: {
                /** @description Version to show (default: the newest) */
                version?: number;
            };
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workflow */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDetail"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWorkflow: {
        parameters: {
            query?: {
                /** @description `true`: publish the version at once; as publishing does, this needs the role `admin` */
                publish?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowDefinition"];
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The workflow */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDetail"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    archiveWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workflow */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PublishWorkflow"];
            };
        };
        responses: {
            /** @description The workflow */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any string of your own. The same key with the same request gives the same run for 24 hours; with another request it is refused */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunWorkflow"];
            };
        };
        responses: {
            /** @description The run is stored and queued */
            202: {
                headers: {
                    /** @description `true` when an earlier request with the same key submitted it */
                    "Idempotency-Replayed"?: string;
                    /** @description URL of the run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The state does not allow this (`CONFLICT`); The first request with this key is still in progress (`IDEMPOTENCY_IN_FLIGHT`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key was used with another body (`IDEMPOTENCY_MISMATCH`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readWorkflowStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As in the list */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowStats"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setWorkflowThumbnail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowThumbnail"];
            };
        };
        responses: {
            /** @description The statistics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowStats"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content is too large (`PAYLOAD_TOO_LARGE`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type is not supported (`UNSUPPORTED_MEDIA_TYPE`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeWorkflowThumbnail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowStats"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unarchiveWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workflow */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`FORBIDDEN`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkflowVersions: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the page before; the list is stable while new items come */
                cursor?: string;
                /** @description Most items of the answer */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Name or id of the workflow */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowVersionPage"];
                };
            };
            /** @description The request is not valid (`VALIDATION_FAILED`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request has no valid API key or session (`UNAUTHENTICATED`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`NOT_FOUND`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error (`INTERNAL`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A dependency is unavailable (`UNAVAILABLE`) */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
