/*
 * Generated from docs/openapi.json, shared/operations.ts and shared/tiers.ts. Do not edit, and do not add to git.
 */

/** The version of this package. */
export const VERSION = "1.0.0";

/** Every error code of the service, with its HTTP status. */
export const API_CODES = {
  "action_not_allowed": 403,
  "already_member": 409,
  "api_key_required": 403,
  "billing_active": 409,
  "billing_not_set_up": 409,
  "billing_required": 402,
  "container_exists": 409,
  "container_is_default": 409,
  "container_not_empty": 409,
  "firewall_exists": 409,
  "firewall_in_use": 409,
  "free_key_exists": 409,
  "internal_error": 500,
  "invalid_allowed_actions": 400,
  "invalid_allowed_ips": 400,
  "invalid_base64": 400,
  "invalid_ciphertext": 400,
  "invalid_container": 400,
  "invalid_dek_length": 400,
  "invalid_expires_at": 400,
  "invalid_federations": 400,
  "invalid_firewall": 400,
  "invalid_key_ids": 400,
  "invalid_name": 400,
  "invalid_period": 400,
  "invalid_query": 400,
  "invalid_request": 400,
  "invalid_role": 400,
  "invalid_tier": 400,
  "ip_not_allowed": 403,
  "key_exists": 409,
  "key_frozen": 409,
  "key_not_allowed": 403,
  "key_pending_deletion": 409,
  "last_owner": 409,
  "limit_reached": 409,
  "method_not_allowed": 405,
  "no_tenant": 403,
  "not_found": 404,
  "not_pending_deletion": 409,
  "ops_cap_reached": 429,
  "payload_too_large": 413,
  "rate_limited": 429,
  "restore_window_closed": 409,
  "role_not_allowed": 403,
  "session_required": 403,
  "unauthorized": 401,
  "unavailable": 503,
  "unsupported_media_type": 415
} as const;

/** The actions that an API key can be allowed. */
export const ACTIONS = [
  "encrypt",
  "decrypt",
  "wrap",
  "unwrap",
  "rewrap",
  "rotate",
  "create",
  "rename",
  "delete",
  "restore"
] as const;

/** The roles of members. */
export const ROLES = [
  "owner",
  "admin",
  "auditor"
] as const;

/** The operations that audit events record. */
export const AUDIT_OPERATIONS = [
  "create_key",
  "rename_key",
  "rotate_key",
  "delete_key",
  "restore_key",
  "freeze_key",
  "thaw_key",
  "destroy_key",
  "encrypt",
  "decrypt",
  "wrap",
  "unwrap",
  "rewrap",
  "create_api_key",
  "update_api_key",
  "revoke_api_key",
  "create_container",
  "rename_container",
  "delete_container",
  "create_firewall",
  "update_firewall",
  "delete_firewall",
  "invite_member",
  "revoke_invitation",
  "accept_invitation",
  "change_role",
  "remove_member",
  "rename_tenant"
] as const;

/** The audit operations that change the tenant, except those on keys. */
export const ADMINISTRATION = [
  "create_api_key",
  "update_api_key",
  "revoke_api_key",
  "create_container",
  "rename_container",
  "delete_container",
  "create_firewall",
  "update_firewall",
  "delete_firewall",
  "invite_member",
  "revoke_invitation",
  "accept_invitation",
  "change_role",
  "remove_member",
  "rename_tenant"
] as const;

/** The operations that count against a key's allowance. Each is also an action. */
export const METERED = [
  "encrypt",
  "decrypt",
  "wrap",
  "unwrap",
  "rewrap"
] as const;

/** The fields of an audit event, in the API's order. */
export const AUDIT_FIELDS = [
  "id",
  "ts",
  "operation",
  "result",
  "error_code",
  "request_id",
  "key_id",
  "api_key_id",
  "user_id",
  "target_id",
  "workload",
  "changes"
] as const;

/** The tiers of keys. */
export const TIERS = [
  "free",
  "wrapped",
  "software",
  "hsm"
] as const;

/** What each tier retains, includes and costs. */
export const TIER = {
  "free": {
    "retainedVersions": 1,
    "monthlyOps": 10000,
    "feeCents": 0,
    "overageMilliCents": 0
  },
  "wrapped": {
    "retainedVersions": 1,
    "monthlyOps": 50000,
    "feeCents": 300,
    "overageMilliCents": 1
  },
  "software": {
    "retainedVersions": 3,
    "monthlyOps": 100000,
    "feeCents": 1000,
    "overageMilliCents": 2
  },
  "hsm": {
    "retainedVersions": 2,
    "monthlyOps": 250000,
    "feeCents": 3500,
    "overageMilliCents": 5
  }
} as const;

/** The route of each operation. An open route needs no credential. A response with one of `statuses` has the operation's result, which is JSON unless `isPlainText`. `bytes` and `times` list the fields with such values. */
export const ROUTES = {
  "create_key": {
    "method": "POST",
    "path": "/v1/keys",
    "isOpen": false,
    "statuses": [
      201
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "list_keys": {
    "method": "GET",
    "path": "/v1/keys",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "get_key": {
    "method": "GET",
    "path": "/v1/keys/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "rename_key": {
    "method": "PATCH",
    "path": "/v1/keys/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "delete_key": {
    "method": "DELETE",
    "path": "/v1/keys/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "rotate_key": {
    "method": "POST",
    "path": "/v1/keys/{id}/rotate",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "preview_rotation": {
    "method": "GET",
    "path": "/v1/keys/{id}/rotation",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "restore_key": {
    "method": "POST",
    "path": "/v1/keys/{id}/restore",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "freeze_key": {
    "method": "POST",
    "path": "/v1/keys/{id}/freeze",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "thaw_key": {
    "method": "POST",
    "path": "/v1/keys/{id}/thaw",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "delete_requested_at",
      "destroy_after",
      "frozen_at"
    ],
    "json": []
  },
  "destroy_key": {
    "method": "POST",
    "path": "/v1/keys/{id}/destroy",
    "isOpen": false,
    "statuses": [
      204
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "encrypt": {
    "method": "POST",
    "path": "/v1/keys/{id}/encrypt",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [
      "plaintext",
      "aad",
      "ciphertext"
    ],
    "times": [],
    "json": []
  },
  "decrypt": {
    "method": "POST",
    "path": "/v1/keys/{id}/decrypt",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [
      "ciphertext",
      "aad",
      "plaintext"
    ],
    "times": [],
    "json": []
  },
  "wrap": {
    "method": "POST",
    "path": "/v1/keys/{id}/wrap",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [
      "dek",
      "aad",
      "wrapped"
    ],
    "times": [],
    "json": []
  },
  "unwrap": {
    "method": "POST",
    "path": "/v1/keys/{id}/unwrap",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [
      "wrapped",
      "aad",
      "dek"
    ],
    "times": [],
    "json": []
  },
  "rewrap": {
    "method": "POST",
    "path": "/v1/keys/{id}/rewrap",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [
      "ciphertext",
      "aad"
    ],
    "times": [],
    "json": []
  },
  "read_key_audit": {
    "method": "GET",
    "path": "/v1/keys/{id}/audit",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "ts"
    ],
    "json": [
      "before",
      "after"
    ]
  },
  "read_usage": {
    "method": "GET",
    "path": "/v1/usage",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "read_usage_daily": {
    "method": "GET",
    "path": "/v1/usage/daily",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "read_audit": {
    "method": "GET",
    "path": "/v1/audit",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "ts"
    ],
    "json": [
      "before",
      "after"
    ]
  },
  "read_audit_key": {
    "method": "GET",
    "path": "/v1/audit/key",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": true,
    "bytes": [],
    "times": [],
    "json": []
  },
  "read_audit_seals": {
    "method": "GET",
    "path": "/v1/audit/seals",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "from",
      "until"
    ],
    "json": []
  },
  "read_audit_entries": {
    "method": "GET",
    "path": "/v1/audit/entries",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "ts"
    ],
    "json": [
      "before",
      "after"
    ]
  },
  "read_audit_restorations": {
    "method": "GET",
    "path": "/v1/audit/restorations",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "get_caller": {
    "method": "GET",
    "path": "/v1/caller",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "sign_in": {
    "method": "GET",
    "path": "/v1/sign-in",
    "isOpen": true,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "me": {
    "method": "GET",
    "path": "/v1/me",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "rename_tenant": {
    "method": "PATCH",
    "path": "/v1/tenant",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "list_members": {
    "method": "GET",
    "path": "/v1/members",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "joined_at"
    ],
    "json": []
  },
  "change_role": {
    "method": "PATCH",
    "path": "/v1/members/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "joined_at"
    ],
    "json": []
  },
  "remove_member": {
    "method": "DELETE",
    "path": "/v1/members/{id}",
    "isOpen": false,
    "statuses": [
      204
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "invite_member": {
    "method": "POST",
    "path": "/v1/invitations",
    "isOpen": false,
    "statuses": [
      201
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "expires_at"
    ],
    "json": []
  },
  "list_invitations": {
    "method": "GET",
    "path": "/v1/invitations",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "expires_at"
    ],
    "json": []
  },
  "revoke_invitation": {
    "method": "DELETE",
    "path": "/v1/invitations/{id}",
    "isOpen": false,
    "statuses": [
      204
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "preview_invitation": {
    "method": "POST",
    "path": "/v1/invitations/preview",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "expires_at"
    ],
    "json": []
  },
  "accept_invitation": {
    "method": "POST",
    "path": "/v1/invitations/accept",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "create_api_key": {
    "method": "POST",
    "path": "/v1/api-keys",
    "isOpen": false,
    "statuses": [
      201
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "expires_at",
      "created_at",
      "last_used_at"
    ],
    "json": [
      "claims"
    ]
  },
  "list_api_keys": {
    "method": "GET",
    "path": "/v1/api-keys",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "last_used_at",
      "expires_at"
    ],
    "json": [
      "claims"
    ]
  },
  "get_api_key": {
    "method": "GET",
    "path": "/v1/api-keys/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "last_used_at",
      "expires_at"
    ],
    "json": [
      "claims"
    ]
  },
  "update_api_key": {
    "method": "PATCH",
    "path": "/v1/api-keys/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "expires_at",
      "created_at",
      "last_used_at"
    ],
    "json": [
      "claims"
    ]
  },
  "revoke_api_key": {
    "method": "DELETE",
    "path": "/v1/api-keys/{id}",
    "isOpen": false,
    "statuses": [
      204
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "create_container": {
    "method": "POST",
    "path": "/v1/containers",
    "isOpen": false,
    "statuses": [
      201
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "list_containers": {
    "method": "GET",
    "path": "/v1/containers",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "get_container": {
    "method": "GET",
    "path": "/v1/containers/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "rename_container": {
    "method": "PATCH",
    "path": "/v1/containers/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at"
    ],
    "json": []
  },
  "delete_container": {
    "method": "DELETE",
    "path": "/v1/containers/{id}",
    "isOpen": false,
    "statuses": [
      204
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "create_firewall": {
    "method": "POST",
    "path": "/v1/firewalls",
    "isOpen": false,
    "statuses": [
      201
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "updated_at"
    ],
    "json": []
  },
  "list_firewalls": {
    "method": "GET",
    "path": "/v1/firewalls",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "updated_at"
    ],
    "json": []
  },
  "get_firewall": {
    "method": "GET",
    "path": "/v1/firewalls/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "updated_at"
    ],
    "json": []
  },
  "update_firewall": {
    "method": "PATCH",
    "path": "/v1/firewalls/{id}",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [
      "created_at",
      "updated_at"
    ],
    "json": []
  },
  "delete_firewall": {
    "method": "DELETE",
    "path": "/v1/firewalls/{id}",
    "isOpen": false,
    "statuses": [
      204
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "read_billing": {
    "method": "GET",
    "path": "/v1/billing",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "start_checkout": {
    "method": "POST",
    "path": "/v1/billing/checkout",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "open_portal": {
    "method": "POST",
    "path": "/v1/billing/portal",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "read_statement": {
    "method": "GET",
    "path": "/v1/billing/statement",
    "isOpen": false,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "live": {
    "method": "GET",
    "path": "/health",
    "isOpen": true,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "ready": {
    "method": "GET",
    "path": "/health/ready",
    "isOpen": true,
    "statuses": [
      200,
      503
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  },
  "openapi": {
    "method": "GET",
    "path": "/v1/openapi.json",
    "isOpen": true,
    "statuses": [
      200
    ],
    "isPlainText": false,
    "bytes": [],
    "times": [],
    "json": []
  }
} as const;

export interface paths {
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Returns all live keys that the caller can see. Keys pending deletion are included; destroyed keys are not.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Create a key
         * @description Creates a key with its first version. If billing is configured, a paid tier requires billing in good standing, and a tenant can have only one `free` key.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a key
         * @description Returns a key with its state and versions. If the key is destroyed or the caller cannot reach it, the error is `not_found`.
         */
        get: operations["get_key"];
        put?: never;
        post?: never;
        /**
         * Schedule a key for deletion in seven days
         * @description Schedules a key for destruction seven days from now. Until then the key cannot be used, but it can be restored.
         */
        delete: operations["delete_key"];
        options?: never;
        head?: never;
        /**
         * Rename a key
         * @description Changes the name of an active key. The name must be unused among the live keys of the container.
         */
        patch: operations["rename_key"];
        trace?: never;
    };
    "/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key; versions that are no longer retained can no longer decrypt
         * @description Adds a version, which encrypts from now on. Tiers retain different numbers of older versions: `free` and `wrapped` keys retain none, so their older ciphertext becomes unreadable.
         */
        post: operations["rotate_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a rotation of a key
         * @description Returns which versions a rotation would keep and retire, and how often older versions were needed in the last 30 UTC days. Changes nothing. For `software` and `hsm` keys, operations within hours after a rotation can be counted for the wrong version.
         */
        get: operations["preview_rotation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a key that is pending deletion
         * @description Makes a key that is pending deletion active again. This works until `destroy_after`.
         */
        post: operations["restore_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze a key
         * @description Stops every use of a key at once, for example when an API key has leaked. Until the key is thawed, it can be neither used nor rotated. It loses no data, and its billing continues.
         */
        post: operations["freeze_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/thaw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Thaw a frozen key
         * @description Makes a frozen key usable again. If the key is not frozen, nothing changes.
         */
        post: operations["thaw_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/destroy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Destroy a key immediately (cannot be undone)
         * @description Destroys a key now, without the seven-day wait of a deletion. Everything encrypted with it becomes unreadable.
         */
        post: operations["destroy_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/encrypt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt a value
         * @description Encrypts a value under the primary version of the key. Counts as one operation. To decrypt, send the same `aad` again.
         */
        post: operations["encrypt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/decrypt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decrypt a value
         * @description Decrypts ciphertext under the key version that encrypted it. Counts as one operation.
         */
        post: operations["decrypt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/wrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wrap a data key
         * @description Wraps a data key, or creates one and wraps it. Counts as one operation. Store the wrapped key, and encrypt data with the data key yourself.
         */
        post: operations["wrap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/unwrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unwrap a data key
         * @description Returns the data key inside a wrapped key. Counts as one operation.
         */
        post: operations["unwrap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/rewrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-encrypt a value under the current primary version
         * @description Decrypts a value and encrypts it again under the primary version, without returning the plaintext. Counts as one operation.
         */
        post: operations["rewrap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events of a key
         * @description Returns the events of one key in a time range, in pages. It also works for keys that are pending deletion or destroyed.
         */
        get: operations["read_key_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get monthly operations and allowance by key
         * @description Returns the metered operations of each key in a month, with its cap and the operations included in its fee. An API key sees only the keys that it can reach.
         */
        get: operations["read_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get daily operations by key
         * @description Returns the metered operations of each key on each UTC day of a month. The daily counts of a key add up to its monthly count.
         */
        get: operations["read_usage_daily"];
        put?: never;
        post?: never;
        delete?: never;
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
         * List audit events of the tenant
         * @description Returns the events of the whole tenant in a time range, in pages. Filters can be combined.
         */
        get: operations["read_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sealed audit log's verifier key
         * @description Returns the public key with which anyone can verify the signatures of the tenant's sealed audit log.
         */
        get: operations["read_audit_key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the seals of the audit log
         * @description Returns the signed sections of the audit log, starting at a position. Together with the entries, they prove that no event was changed or removed.
         */
        get: operations["read_audit_seals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sealed audit events
         * @description Returns sealed events in log order, starting at a position. Compare them with the seals to verify the log.
         */
        get: operations["read_audit_entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/restorations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the restorations of the audit log
         * @description Returns signed statements, starting at a position. Each says that the audit log was restored from a backup, and which entries were lost.
         */
        get: operations["read_audit_restorations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/caller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller
         * @description Returns who the caller is, what they may do, and the address that the request came from. Use it to find out why other requests are refused.
         */
        get: operations["get_caller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sign-in settings
         * @description Returns what a client needs to sign a person in with the identity provider.
         */
        get: operations["sign_in"];
        put?: never;
        post?: never;
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
         * Get the signed-in user and their tenant
         * @description Returns the signed-in user, their tenant and their role. The first call of a user without a tenant creates a tenant, which they own.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Name the tenant
         * @description Sets the name that members and invited people see. `null` removes it.
         */
        patch: operations["rename_tenant"];
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
         * List the members of the tenant
         * @description Returns the people who belong to the tenant, with their roles.
         */
        get: operations["list_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{id}": {
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
         * Remove a member, or leave the tenant
         * @description Removes a member, who loses access with their next request, and revokes the invitations that they created. API keys that they created keep working. Every member except the last owner can remove themselves.
         */
        delete: operations["remove_member"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Changes the role of a member, from their next request on. If an owner loses that role, the invitations that they created are revoked. The last owner must stay an owner.
         */
        patch: operations["change_role"];
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
         * List the open invitations
         * @description Returns the invitations that can still be accepted, without their tokens.
         */
        get: operations["list_invitations"];
        put?: never;
        /**
         * Invite a person to the tenant
         * @description Creates an invitation for one person, valid for seven days. The response holds its token, which is never shown again: send it to the person.
         */
        post: operations["invite_member"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{id}": {
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
         * Revoke an invitation
         * @description Revokes an invitation that was not accepted yet. Its token no longer works.
         */
        delete: operations["revoke_invitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what an invitation is for
         * @description Tells the holder of a token who invites them, to which tenant and with which role. Changes nothing.
         */
        post: operations["preview_invitation"];
        delete?: never;
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
         * Accept an invitation
         * @description Makes the signed-in person a member of the inviting tenant. If they already belong to a tenant, they leave that tenant, which must be empty: it has no other member and no live API key, and never had a key or a subscription.
         */
        post: operations["accept_invitation"];
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
         * List API keys
         * @description Returns all API keys of the tenant that are not revoked. Tokens are not included.
         */
        get: operations["list_api_keys"];
        put?: never;
        /**
         * Create an API key
         * @description Creates an API key in a container. The response contains its token, which is shown only once. Without `allowed_actions`, the API key can neither use nor manage keys.
         */
        post: operations["create_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API key
         * @description Returns an API key without its token. For a revoked API key, the error is `not_found`.
         */
        get: operations["get_api_key"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Revokes an API key. Its token no longer works, and this cannot be undone.
         */
        delete: operations["revoke_api_key"];
        options?: never;
        head?: never;
        /**
         * Update an API key
         * @description Changes the name, allowed actions, key list, firewall, expiry or federations of an API key. Omitted fields and the token do not change.
         */
        patch: operations["update_api_key"];
        trace?: never;
    };
    "/v1/containers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List containers
         * @description Returns all containers of the tenant, including the default container.
         */
        get: operations["list_containers"];
        put?: never;
        /**
         * Create a container
         * @description Creates an empty container. The name must be unused in the tenant.
         */
        post: operations["create_container"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/containers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a container
         * @description Returns a container. Its keys are not included.
         */
        get: operations["get_container"];
        put?: never;
        post?: never;
        /**
         * Delete an empty container
         * @description Deletes a container that has no keys, live API keys or firewalls. The default container cannot be deleted.
         */
        delete: operations["delete_container"];
        options?: never;
        head?: never;
        /**
         * Rename a container
         * @description Changes the name of a container. The name must be unused in the tenant.
         */
        patch: operations["rename_container"];
        trace?: never;
    };
    "/v1/firewalls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List firewalls
         * @description Returns all firewalls of the tenant.
         */
        get: operations["list_firewalls"];
        put?: never;
        /**
         * Create a firewall
         * @description Creates a firewall in a container. The firewall takes effect once an API key of the container uses it.
         */
        post: operations["create_firewall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewalls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a firewall
         * @description Returns a firewall with its networks.
         */
        get: operations["get_firewall"];
        put?: never;
        post?: never;
        /**
         * Delete a firewall that no API key uses
         * @description Deletes a firewall. Remove it from all API keys first.
         */
        delete: operations["delete_firewall"];
        options?: never;
        head?: never;
        /**
         * Update a firewall
         * @description Changes the name or the networks of a firewall. Omitted fields do not change. New networks apply to every API key that uses the firewall.
         */
        patch: operations["update_firewall"];
        trace?: never;
    };
    "/v1/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the tenant's billing standing
         * @description Returns whether the tenant may use paid operations, and the status of its subscription.
         */
        get: operations["read_billing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link to the checkout
         * @description Returns a link to the payment provider's page where a person sets up payment. A tenant with an open subscription uses the billing portal instead.
         */
        post: operations["start_checkout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link to the billing portal
         * @description Returns a link to the payment provider's page where a person manages payment and invoices. Without a subscription, start a checkout first.
         */
        post: operations["open_portal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a month's statement
         * @description Returns a month's fees and usage, with a line for each paid key. For the current month, the statement assumes that existing keys stay until the end of the month.
         */
        get: operations["read_statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is running
         * @description Answers as soon as the process runs. Checks nothing else.
         */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that Firestore, the KMS and the policy decision point answer
         * @description Checks that the service's dependencies answer. Responds with 503 if one of them does not.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this OpenAPI document
         * @description Returns the OpenAPI description of all operations of this deployment.
         */
        get: operations["openapi"];
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
        Key: {
            /**
             * Format: uuid
             * @description The ID of the key.
             */
            id: string;
            /** @description The name of the key, unique in its container. */
            name: string;
            /**
             * @description The tier of the key. It never changes.
             * @enum {string}
             */
            tier: "free" | "wrapped" | "software" | "hsm";
            /**
             * Format: uuid
             * @description The container of the key. It never changes.
             */
            container_id: string;
            /**
             * @description Whether the key is scheduled for destruction.
             * @enum {string}
             */
            state: "active" | "pending_deletion";
            /**
             * Format: date-time
             * @description When the key was created.
             */
            created_at: Date;
            /** @description When the deletion was requested; `null` for an active key. */
            delete_requested_at: Date | null;
            /** @description When the key will be destroyed; `null` for an active key. */
            destroy_after: Date | null;
            /** @description When the key was frozen. A frozen key cannot be used or rotated. `null` if it is not frozen. */
            frozen_at: Date | null;
            /** @description The version that encrypts. */
            primary_version: number;
            /** @description The versions of the key, oldest first. */
            versions: {
                /** @description The number of the version. The first is 1. */
                version: number;
                /**
                 * @description Only an enabled version can decrypt.
                 * @enum {string}
                 */
                state: "enabled" | "destroy_scheduled";
                /**
                 * Format: date-time
                 * @description When the version was created.
                 */
                created_at: Date;
            }[];
        };
        RotationPreview: {
            /** @description The version that a rotation would create. */
            next_version: number;
            /** @description The enabled versions that would still decrypt. */
            keeps: number[];
            /** @description The enabled versions that would no longer decrypt. */
            retires: number[];
            /** @description How the key was used. */
            recent: {
                /**
                 * Format: date
                 * @description The first of the last 30 UTC days, today included.
                 */
                since: string;
                /** @description The number of metered operations with the key since that day. */
                ops: number;
                /** @description How many of them (`decrypt`, `unwrap` or `rewrap`) needed an older version than the primary. */
                older_version_ops: number;
                /** @description The last day on which an operation needed an older version, or `null`. */
                last_older_use: string | null;
            };
        };
        Ciphertext: {
            /**
             * Format: byte
             * @description The ciphertext. Store it unchanged.
             */
            ciphertext: Uint8Array<ArrayBuffer>;
        };
        Plaintext: {
            /**
             * Format: byte
             * @description The decrypted value.
             */
            plaintext: Uint8Array<ArrayBuffer>;
        };
        Wrapped: {
            /**
             * Format: byte
             * @description The wrapped key.
             */
            wrapped: Uint8Array<ArrayBuffer>;
            /**
             * Format: byte
             * @description The new data key. Present only if the request had none.
             */
            dek?: Uint8Array<ArrayBuffer>;
        };
        Dek: {
            /**
             * Format: byte
             * @description The data key: 16, 24 or 32 bytes.
             */
            dek: Uint8Array<ArrayBuffer>;
        };
        AuditEvent: {
            /**
             * Format: uuid
             * @description The ID of the event.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the event, with microseconds. You can pass it unchanged as `since` or `until`.
             */
            ts: Date;
            /**
             * @description The operation that was attempted.
             * @enum {string}
             */
            operation: "create_key" | "rename_key" | "rotate_key" | "delete_key" | "restore_key" | "freeze_key" | "thaw_key" | "destroy_key" | "encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "create_api_key" | "update_api_key" | "revoke_api_key" | "create_container" | "rename_container" | "delete_container" | "create_firewall" | "update_firewall" | "delete_firewall" | "invite_member" | "revoke_invitation" | "accept_invitation" | "change_role" | "remove_member" | "rename_tenant";
            /**
             * @description Whether the operation succeeded.
             * @enum {string}
             */
            result: "success" | "error";
            /** @description The error code of a failed operation; otherwise `null`. */
            error_code: ("invalid_request" | "invalid_base64" | "invalid_dek_length" | "invalid_ciphertext" | "invalid_name" | "invalid_tier" | "invalid_container" | "invalid_query" | "invalid_period" | "invalid_allowed_actions" | "invalid_key_ids" | "invalid_firewall" | "invalid_expires_at" | "invalid_federations" | "invalid_allowed_ips" | "invalid_role" | "unauthorized" | "billing_required" | "api_key_required" | "session_required" | "ip_not_allowed" | "key_not_allowed" | "action_not_allowed" | "role_not_allowed" | "no_tenant" | "not_found" | "method_not_allowed" | "key_pending_deletion" | "key_frozen" | "key_exists" | "free_key_exists" | "not_pending_deletion" | "restore_window_closed" | "container_exists" | "container_is_default" | "container_not_empty" | "firewall_exists" | "firewall_in_use" | "already_member" | "last_owner" | "limit_reached" | "billing_active" | "billing_not_set_up" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "ops_cap_reached" | "internal_error" | "unavailable") | null;
            /** @description The `x-request-id` of the request, or `null` if no request caused the event. */
            request_id: string | null;
            /** @description The key, or `null` if the event is about no key. */
            key_id: string | null;
            /** @description The API key that sent the request, or `null`. */
            api_key_id: string | null;
            /** @description The signed-in user who sent the request, or `null`. */
            user_id: string | null;
            /** @description The API key, container, firewall, invitation, member or tenant that was changed, or `null`. */
            target_id: string | null;
            /** @description The workload that called with its ID token, or `null`. Events of releases before 1.1.0 lack it. */
            workload?: {
                /** @description The issuer of the ID token. */
                issuer: string;
                /** @description The beginning of the claim `sub`, or `null` if it is no text. */
                subject: string | null;
            } | null;
            /** @description The changed fields of an API key, container, firewall, member, invitation or tenant; otherwise `null`. If the list is longer than 16 KiB, its longest values are replaced by `{"sha256","count"}`: the SHA-256 of the value in RFC 8785 JSON, and its number of members or characters. Events of earlier releases lack this field. */
            changes?: {
                /** @description The name of the field. */
                field: string;
                /** @description The value before the change; `null` if the object is new. */
                before: unknown;
                /** @description The value after the change. */
                after: unknown;
            }[] | null;
        };
        UsageLine: {
            /**
             * Format: uuid
             * @description The ID of the key.
             */
            key_id: string;
            /**
             * Format: uuid
             * @description The container of the key.
             */
            container_id: string;
            /** @description Metered operations in the month. */
            ops: number;
            /** @description Operations beyond the allowance. They are billed for paid keys. */
            overage_ops: number;
            /** @description The operations that the key's tier includes in a full month. */
            cap: number;
            /** @description Operations included in the month. May be less than `cap` if the key exists for only part of the month. */
            allowance: number;
        };
        DailyUsageLine: {
            /**
             * Format: date
             * @description The UTC day, as YYYY-MM-DD.
             */
            day: string;
            /**
             * Format: uuid
             * @description The ID of the key.
             */
            key_id: string;
            /**
             * Format: uuid
             * @description The container of the key.
             */
            container_id: string;
            /** @description Metered operations on that day. */
            ops: number;
        };
        Seal: {
            /** @description Position of this seal. The first is 0. */
            index: number;
            /**
             * Format: date-time
             * @description Start of the time range that the seal covers.
             */
            from: Date;
            /**
             * Format: date-time
             * @description The seal covers events with `from <= ts < until`. The next seal starts here.
             */
            until: Date;
            /** @description Position of the first entry that this seal covers. The log starts at 0. */
            first_entry: number;
            /** @description Number of events that this seal covers. */
            entries: number;
            /** @description Number of entries in the log up to and including this seal. */
            size: number;
            /** @description Root hash of the tree of the first `size` entries (RFC 9162), in base64. */
            root: string;
            /** @description Signed `size` and `root`, as a C2SP tlog-checkpoint. */
            checkpoint: string;
        };
        /** @description Who the caller is. A field that does not apply to this kind of caller is `null`. */
        Caller: {
            /**
             * @description Whether the credential is an API key or the access token of a user.
             * @enum {string}
             */
            kind: "api_key" | "session";
            /**
             * Format: uuid
             * @description The ID of the API key or of the user.
             */
            id: string;
            /** @description The name of the API key, or the user's name from the identity provider. */
            name: string | null;
            /** @description The role of the user; `null` for an API key. */
            role: ("owner" | "admin" | "auditor") | null;
            /** @description The container whose keys the API key can reach. */
            container_id: string | null;
            /** @description What the API key may do with keys. */
            allowed_actions: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[] | null;
            /** @description The only keys that the API key may use, if it has a key list. */
            key_ids: string[] | null;
            /** @description The firewall of the API key, if it has one. */
            firewall_id: string | null;
            /** @description The address that the request came from, as a firewall sees it. */
            address: string | null;
            /** @description The workload that presented its ID token, or `null`. */
            workload: {
                /** @description The issuer of the ID token. */
                issuer: string;
                /** @description The beginning of the claim `sub`, or `null` if it is no text. */
                subject: string | null;
            } | null;
        };
        SignIn: {
            /**
             * Format: uri
             * @description The URL of the identity provider.
             */
            issuer: string;
            /** @description The OAuth client ID of this deployment. */
            client_id: string;
            /** @description The scopes to request, separated by spaces. */
            scope: string;
            /** @description The audience that access tokens must have. */
            audience: string;
            /** @description The issuers whose ID tokens workloads can use instead of the token of an API key. */
            workload_issuers: {
                /**
                 * Format: uri
                 * @description The issuer of ID tokens of workloads.
                 */
                issuer: string;
                /** @description Each federation with this issuer must have one of these claims. */
                claims: string[];
            }[];
        };
        /** @description The signed-in user with their tenant and role. */
        Me: {
            /** @description The signed-in user. */
            user: {
                /**
                 * Format: uuid
                 * @description The ID of the user.
                 */
                id: string;
                /** @description The email address from the identity provider, if known. */
                email: string | null;
                /** @description The name from the identity provider, if known. */
                name: string | null;
            };
            /** @description The tenant of the user. */
            tenant: components["schemas"]["Tenant"];
            /**
             * @description The role of the user in the tenant.
             * @enum {string}
             */
            role: "owner" | "admin" | "auditor";
        };
        Tenant: {
            /**
             * Format: uuid
             * @description The ID of the tenant.
             */
            id: string;
            /** @description The name of the tenant, or `null` until it is set. */
            name: string | null;
            /**
             * Format: date-time
             * @description When the tenant was created.
             */
            created_at: Date;
        };
        Member: {
            /**
             * Format: uuid
             * @description The ID of the user.
             */
            user_id: string;
            /** @description The email address from the identity provider, if known. */
            email: string | null;
            /** @description The name from the identity provider, if known. */
            name: string | null;
            /**
             * @description What the member may do.
             * @enum {string}
             */
            role: "owner" | "admin" | "auditor";
            /**
             * Format: date-time
             * @description When the user joined the tenant.
             */
            joined_at: Date;
        };
        NewInvitation: {
            /**
             * Format: uuid
             * @description The ID of the invitation.
             */
            id: string;
            /**
             * @description The role that the person gets.
             * @enum {string}
             */
            role: "owner" | "admin" | "auditor";
            /** @description The note of the inviter, if there is one. */
            note: string | null;
            /**
             * Format: uuid
             * @description The user who created the invitation.
             */
            created_by: string;
            /**
             * Format: date-time
             * @description When the invitation was created.
             */
            created_at: Date;
            /**
             * Format: date-time
             * @description When the invitation expires, seven days after its creation.
             */
            expires_at: Date;
            /** @description The token that accepts the invitation. It is shown only once. */
            token: string;
        };
        Invitation: {
            /**
             * Format: uuid
             * @description The ID of the invitation.
             */
            id: string;
            /**
             * @description The role that the person gets.
             * @enum {string}
             */
            role: "owner" | "admin" | "auditor";
            /** @description The note of the inviter, if there is one. */
            note: string | null;
            /**
             * Format: uuid
             * @description The user who created the invitation.
             */
            created_by: string;
            /**
             * Format: date-time
             * @description When the invitation was created.
             */
            created_at: Date;
            /**
             * Format: date-time
             * @description When the invitation expires, seven days after its creation.
             */
            expires_at: Date;
        };
        InvitationPreview: {
            /** @description The name of the tenant, if it has one. */
            tenant_name: string | null;
            /**
             * @description The role that the person gets.
             * @enum {string}
             */
            role: "owner" | "admin" | "auditor";
            /** @description The note of the inviter, if there is one. */
            note: string | null;
            /** @description Who created the invitation. */
            invited_by: {
                /** @description The email address of the inviter, if known. */
                email: string | null;
                /** @description The name of the inviter, if known. */
                name: string | null;
            };
            /**
             * Format: date-time
             * @description When the invitation expires.
             */
            expires_at: Date;
        };
        NewApiKey: {
            /**
             * Format: uuid
             * @description The ID of the API key.
             */
            id: string;
            /** @description The name of the API key. */
            name: string;
            /** @description The part of the token that identifies the API key. It is not secret. `null` without a token. */
            prefix: string | null;
            /**
             * Format: uuid
             * @description The container whose keys the API key can reach.
             */
            container_id: string;
            /** @description What the API key may do with keys. */
            allowed_actions: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[];
            /** @description The only keys that the API key may use; `null` allows all keys of its container. */
            key_ids: string[] | null;
            /** @description The firewall with the networks that the API key may be used from, or `null`. */
            firewall_id: string | null;
            /**
             * Format: date-time
             * @description When the API key was created.
             */
            created_at: Date;
            /** @description When the API key was last used, or `null`. */
            last_used_at: Date | null;
            /** @description From when on the API key does not work, or `null` if it does not expire. */
            expires_at: Date | null;
            /** @description The workloads that can use the API key with their ID tokens. */
            federations: components["schemas"]["Federation"][];
            /** @description Whether the API key has a token. Without one, only workloads can use it. */
            has_token: boolean;
            /** @description The token of the API key. It is shown only once, in this response. `null` without a token. */
            token: string | null;
        };
        /** @description A workload that can use an API key with its ID tokens. */
        Federation: {
            /** @description The issuer of the ID tokens, one of `workload_issuers` in `GET /v1/sign-in`. */
            issuer: string;
            /** @description The claims that an ID token must have, with exactly these values. */
            claims: {
                [key: string]: string | number | boolean;
            };
        };
        ApiKey: {
            /**
             * Format: uuid
             * @description The ID of the API key.
             */
            id: string;
            /** @description The name of the API key. */
            name: string;
            /** @description The part of the token that identifies the API key. It is not secret. `null` without a token. */
            prefix: string | null;
            /**
             * Format: uuid
             * @description The container whose keys the API key can reach.
             */
            container_id: string;
            /** @description What the API key may do with keys. */
            allowed_actions: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[];
            /** @description The only keys that the API key may use; `null` allows all keys of its container. */
            key_ids: string[] | null;
            /** @description The firewall with the networks that the API key may be used from, or `null`. */
            firewall_id: string | null;
            /**
             * Format: date-time
             * @description When the API key was created.
             */
            created_at: Date;
            /** @description When the API key was last used, or `null`. */
            last_used_at: Date | null;
            /** @description From when on the API key does not work, or `null` if it does not expire. */
            expires_at: Date | null;
            /** @description The workloads that can use the API key with their ID tokens. */
            federations: components["schemas"]["Federation"][];
            /** @description Whether the API key has a token. Without one, only workloads can use it. */
            has_token: boolean;
        };
        Container: {
            /**
             * Format: uuid
             * @description The ID of the container.
             */
            id: string;
            /** @description The name of the container, unique in the tenant. */
            name: string;
            /** @description Whether this is the tenant's default container. */
            is_default: boolean;
            /**
             * Format: date-time
             * @description When the container was created.
             */
            created_at: Date;
        };
        Firewall: {
            /**
             * Format: uuid
             * @description The ID of the firewall.
             */
            id: string;
            /** @description The name of the firewall, unique in its container. */
            name: string;
            /**
             * Format: uuid
             * @description The container whose API keys can use the firewall.
             */
            container_id: string;
            /** @description The allowed networks in CIDR notation. */
            allowed_ips: string[];
            /**
             * Format: date-time
             * @description When the firewall was created.
             */
            created_at: Date;
            /**
             * Format: date-time
             * @description When the firewall was last changed.
             */
            updated_at: Date;
        };
        Billing: {
            /**
             * @description `good` if the tenant may use paid operations.
             * @enum {string}
             */
            standing: "good" | "none";
            /** @description The subscription, or `null` if there is no subscription. */
            subscription: {
                /** @description The status of the subscription at Stripe. */
                status: string;
            } | null;
        };
        Redirect: {
            /**
             * Format: uri
             * @description URL of the payment provider's page, to open in a browser.
             */
            url: string;
        };
        Statement: {
            /** @description The UTC month, as YYYY-MM. */
            period: string;
            /**
             * @description The currency of all amounts.
             * @constant
             */
            currency: "usd";
            /** @description One line for each paid key that existed or was used in the month. Oldest key first. */
            lines: {
                /**
                 * Format: uuid
                 * @description The ID of the key.
                 */
                key_id: string;
                /** @description The name of the key. */
                key_name: string;
                /**
                 * @description The tier of the key.
                 * @enum {string}
                 */
                tier: "free" | "wrapped" | "software" | "hsm";
                /** @description The number of days for which the key is billed; `null` before October 2026. */
                days: number | null;
                /** @description The number of days in the month; `null` before October 2026. */
                days_in_month: number | null;
                /** @description The fee of the key in cents, exact. */
                fee_cents: string;
                /** @description Metered operations in the month. */
                ops: number;
                /** @description Operations included in the fee. */
                allowance: number;
                /** @description Operations beyond the allowance. */
                overage_ops: number;
                /** @description The cost of the overage in cents, exact. */
                overage_cents: string;
            }[];
            /** @description The exact sum of all lines, rounded to whole cents. */
            total_cents: string;
        };
        Received: Record<string, never>;
        Transit_encrypt: {
            /** @description Same as the `x-request-id` header of the response. */
            request_id: string;
            /** @description Always empty. There are no leases. */
            lease_id: string;
            /**
             * @description Always `false`. There are no leases.
             * @constant
             */
            renewable: false;
            /**
             * @description Always 0. There are no leases.
             * @constant
             */
            lease_duration: 0;
            /** @description Always `null`. Responses are never wrapped. */
            wrap_info: null;
            /** @description The names of unknown fields, which were ignored, and that a key to create exists already; or `null`. */
            warnings: string[] | null;
            /**
             * @description Always `transit`.
             * @constant
             */
            mount_type: "transit";
            /** @description The result. */
            data: {
                /** @description In the form `vault:v<version>:<base64>`. */
                ciphertext: string;
                /** @description The key version that encrypted the value. */
                key_version: number;
            } | {
                /** @description The results, in the order of `batch_input`. */
                batch_results: ({
                    /** @description The `reference` of the value. */
                    reference?: string;
                    /** @description In the form `vault:v<version>:<base64>`. */
                    ciphertext: string;
                    /** @description The key version that encrypted the value. */
                    key_version: number;
                } | {
                    /** @description The `reference` of the value. */
                    reference?: string;
                    /** @description Why this value failed: the error code, then a message for people. */
                    error: string;
                })[];
            };
            /** @description Always `null`. */
            auth: null;
            /** @description The errors of the items. Present only if every item failed. */
            errors?: string[];
        };
        Transit_decrypt: {
            /** @description Same as the `x-request-id` header of the response. */
            request_id: string;
            /** @description Always empty. There are no leases. */
            lease_id: string;
            /**
             * @description Always `false`. There are no leases.
             * @constant
             */
            renewable: false;
            /**
             * @description Always 0. There are no leases.
             * @constant
             */
            lease_duration: 0;
            /** @description Always `null`. Responses are never wrapped. */
            wrap_info: null;
            /** @description The names of unknown fields, which were ignored, and that a key to create exists already; or `null`. */
            warnings: string[] | null;
            /**
             * @description Always `transit`.
             * @constant
             */
            mount_type: "transit";
            /** @description The result. */
            data: {
                /**
                 * Format: byte
                 * @description The decrypted value.
                 */
                plaintext: Uint8Array<ArrayBuffer>;
            } | {
                /** @description The results, in the order of `batch_input`. */
                batch_results: ({
                    /** @description The `reference` of the value. */
                    reference?: string;
                    /**
                     * Format: byte
                     * @description The decrypted value.
                     */
                    plaintext: Uint8Array<ArrayBuffer>;
                } | {
                    /** @description The `reference` of the value. */
                    reference?: string;
                    /** @description Why this value failed: the error code, then a message for people. */
                    error: string;
                })[];
            };
            /** @description Always `null`. */
            auth: null;
            /** @description The errors of the items. Present only if every item failed. */
            errors?: string[];
        };
        Transit_rewrap: {
            /** @description Same as the `x-request-id` header of the response. */
            request_id: string;
            /** @description Always empty. There are no leases. */
            lease_id: string;
            /**
             * @description Always `false`. There are no leases.
             * @constant
             */
            renewable: false;
            /**
             * @description Always 0. There are no leases.
             * @constant
             */
            lease_duration: 0;
            /** @description Always `null`. Responses are never wrapped. */
            wrap_info: null;
            /** @description The names of unknown fields, which were ignored, and that a key to create exists already; or `null`. */
            warnings: string[] | null;
            /**
             * @description Always `transit`.
             * @constant
             */
            mount_type: "transit";
            /** @description The result. */
            data: {
                /** @description In the form `vault:v<version>:<base64>`. */
                ciphertext: string;
                /** @description The key version that encrypted the value. */
                key_version: number;
            } | {
                /** @description The results, in the order of `batch_input`. */
                batch_results: ({
                    /** @description The `reference` of the value. */
                    reference?: string;
                    /** @description In the form `vault:v<version>:<base64>`. */
                    ciphertext: string;
                    /** @description The key version that encrypted the value. */
                    key_version: number;
                } | {
                    /** @description The `reference` of the value. */
                    reference?: string;
                    /** @description Why this value failed: the error code, then a message for people. */
                    error: string;
                })[];
            };
            /** @description Always `null`. */
            auth: null;
            /** @description The errors of the items. Present only if every item failed. */
            errors?: string[];
        };
        Transit_datakey_plaintext: {
            /** @description Same as the `x-request-id` header of the response. */
            request_id: string;
            /** @description Always empty. There are no leases. */
            lease_id: string;
            /**
             * @description Always `false`. There are no leases.
             * @constant
             */
            renewable: false;
            /**
             * @description Always 0. There are no leases.
             * @constant
             */
            lease_duration: 0;
            /** @description Always `null`. Responses are never wrapped. */
            wrap_info: null;
            /** @description The names of unknown fields, which were ignored, and that a key to create exists already; or `null`. */
            warnings: string[] | null;
            /**
             * @description Always `transit`.
             * @constant
             */
            mount_type: "transit";
            /** @description The result. */
            data: {
                /** @description In the form `vault:v<version>:<base64>`. */
                ciphertext: string;
                /** @description The key version that encrypted the value. */
                key_version: number;
                /**
                 * Format: byte
                 * @description The data key.
                 */
                plaintext: Uint8Array<ArrayBuffer>;
            };
            /** @description Always `null`. */
            auth: null;
        };
        Transit_datakey_wrapped: {
            /** @description Same as the `x-request-id` header of the response. */
            request_id: string;
            /** @description Always empty. There are no leases. */
            lease_id: string;
            /**
             * @description Always `false`. There are no leases.
             * @constant
             */
            renewable: false;
            /**
             * @description Always 0. There are no leases.
             * @constant
             */
            lease_duration: 0;
            /** @description Always `null`. Responses are never wrapped. */
            wrap_info: null;
            /** @description The names of unknown fields, which were ignored, and that a key to create exists already; or `null`. */
            warnings: string[] | null;
            /**
             * @description Always `transit`.
             * @constant
             */
            mount_type: "transit";
            /** @description The result. */
            data: {
                /** @description In the form `vault:v<version>:<base64>`. */
                ciphertext: string;
                /** @description The key version that encrypted the value. */
                key_version: number;
            };
            /** @description Always `null`. */
            auth: null;
        };
        Transit_key: {
            /** @description Same as the `x-request-id` header of the response. */
            request_id: string;
            /** @description Always empty. There are no leases. */
            lease_id: string;
            /**
             * @description Always `false`. There are no leases.
             * @constant
             */
            renewable: false;
            /**
             * @description Always 0. There are no leases.
             * @constant
             */
            lease_duration: 0;
            /** @description Always `null`. Responses are never wrapped. */
            wrap_info: null;
            /** @description The names of unknown fields, which were ignored, and that a key to create exists already; or `null`. */
            warnings: string[] | null;
            /**
             * @description Always `transit`.
             * @constant
             */
            mount_type: "transit";
            /** @description The result. */
            data: {
                /** @description The name of the key. */
                name: string;
                /**
                 * @description Vault's name for AES-256-GCM.
                 * @constant
                 */
                type: "aes256-gcm96";
                /** @description Creation time of each enabled version in Unix seconds, by version number. */
                keys: {
                    [key: string]: number;
                };
                /** @description The version that encrypts. */
                latest_version: number;
                /**
                 * @description Always 0.
                 * @constant
                 */
                min_available_version: 0;
                /** @description The oldest enabled version. */
                min_decryption_version: number;
                /**
                 * @description Always 0. Only the newest version encrypts.
                 * @constant
                 */
                min_encryption_version: 0;
                /**
                 * @description Always `true`.
                 * @constant
                 */
                supports_encryption: true;
                /**
                 * @description Always `true`.
                 * @constant
                 */
                supports_decryption: true;
                /**
                 * @description Always `false`.
                 * @constant
                 */
                supports_derivation: false;
                /**
                 * @description Always `false`.
                 * @constant
                 */
                supports_signing: false;
                /**
                 * @description Always `false`. Keys are never derived.
                 * @constant
                 */
                derived: false;
                /**
                 * @description Always `false`. Keys cannot be exported.
                 * @constant
                 */
                exportable: false;
                /**
                 * @description Always `false`. Keys cannot be exported.
                 * @constant
                 */
                allow_plaintext_backup: false;
                /**
                 * @description Always `false`. Delete keys with `DELETE /v1/keys/{id}`.
                 * @constant
                 */
                deletion_allowed: false;
                /**
                 * @description Always 0. Keys are rotated only on request.
                 * @constant
                 */
                auto_rotate_period: 0;
                /**
                 * @description Always `false`. Keys cannot be imported.
                 * @constant
                 */
                imported_key: false;
                /**
                 * Format: uuid
                 * @description The ID of the key in `/v1/keys/{id}`.
                 */
                id: string;
                /**
                 * @description The tier of the key.
                 * @enum {string}
                 */
                tier: "free" | "wrapped" | "software" | "hsm";
                /**
                 * @description Whether the key is scheduled for destruction.
                 * @enum {string}
                 */
                state: "active" | "pending_deletion";
            };
            /** @description Always `null`. */
            auth: null;
        };
        Live: {
            /**
             * @description The process is running.
             * @constant
             */
            status: "ok";
        };
        Ready: {
            /**
             * @description `ok` if every check is `ok`.
             * @enum {string}
             */
            status: "ok" | "unavailable";
            /** @description The result of each check. */
            checks: {
                /**
                 * @description Whether Firestore answers.
                 * @enum {string}
                 */
                firestore: "ok" | "unavailable";
                /**
                 * @description Whether the KMS answers.
                 * @enum {string}
                 */
                kms: "ok" | "unavailable";
                /**
                 * @description Whether the policy decision point answers.
                 * @enum {string}
                 */
                policy: "ok" | "unavailable";
            };
        };
        OpenApiDocument: {
            [key: string]: unknown;
        };
        /**
         * @description Every error code, with its meaning and what to do.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_base64" | "invalid_dek_length" | "invalid_ciphertext" | "invalid_name" | "invalid_tier" | "invalid_container" | "invalid_query" | "invalid_period" | "invalid_allowed_actions" | "invalid_key_ids" | "invalid_firewall" | "invalid_expires_at" | "invalid_federations" | "invalid_allowed_ips" | "invalid_role" | "unauthorized" | "billing_required" | "api_key_required" | "session_required" | "ip_not_allowed" | "key_not_allowed" | "action_not_allowed" | "role_not_allowed" | "no_tenant" | "not_found" | "method_not_allowed" | "key_pending_deletion" | "key_frozen" | "key_exists" | "free_key_exists" | "not_pending_deletion" | "restore_window_closed" | "container_exists" | "container_is_default" | "container_not_empty" | "firewall_exists" | "firewall_in_use" | "already_member" | "last_owner" | "limit_reached" | "billing_active" | "billing_not_set_up" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "ops_cap_reached" | "internal_error" | "unavailable";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"][];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name: string;
                    /**
                     * @description The tier decides what protects the key, what it costs, and how many versions it keeps.
                     * @enum {string}
                     */
                    tier: "free" | "wrapped" | "software" | "hsm";
                    /** @description The container. The default is the API key's container; for a person, it is the tenant's default container. */
                    container_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    get_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    delete_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rename_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotate_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    preview_rotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotationPreview"];
                };
            };
        };
    };
    restore_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    freeze_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    thaw_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    destroy_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    encrypt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: byte
                     * @description 1 byte to 64 KiB before base64 encoding.
                     */
                    plaintext: Uint8Array;
                    /** @description Additional authenticated data. Decryption needs the same value. Check the spelling: a misspelled field is ignored, and nothing is bound. At most 65,520 bytes for `software` and `hsm` keys, 65,536 bytes for others. */
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ciphertext"];
                };
            };
        };
    };
    decrypt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: byte
                     * @description Ciphertext from `encrypt`, `rewrap` or `wrap`. The key version that encrypted it must be enabled.
                     */
                    ciphertext: Uint8Array;
                    /** @description Additional authenticated data. Decryption needs the same value. Check the spelling: a misspelled field is ignored, and nothing is bound. At most 65,520 bytes for `software` and `hsm` keys, 65,536 bytes for others. */
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plaintext"];
                };
            };
        };
    };
    wrap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 16, 24 or 32 bytes, in base64. The default is 32 new random bytes. */
                    dek?: Uint8Array | null;
                    /** @description Additional authenticated data. Decryption needs the same value. Check the spelling: a misspelled field is ignored, and nothing is bound. At most 65,520 bytes for `software` and `hsm` keys, 65,536 bytes for others. */
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wrapped"];
                };
            };
        };
    };
    unwrap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: byte
                     * @description The wrapped key from `wrap`. The key version that wrapped it must be enabled.
                     */
                    wrapped: Uint8Array;
                    /** @description Additional authenticated data. Decryption needs the same value. Check the spelling: a misspelled field is ignored, and nothing is bound. At most 65,520 bytes for `software` and `hsm` keys, 65,536 bytes for others. */
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dek"];
                };
            };
        };
    };
    rewrap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: byte
                     * @description The ciphertext. The key version that encrypted it must be enabled.
                     */
                    ciphertext: Uint8Array;
                    /** @description Additional authenticated data. Decryption needs the same value. Check the spelling: a misspelled field is ignored, and nothing is bound. At most 65,520 bytes for `software` and `hsm` keys, 65,536 bytes for others. */
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ciphertext"];
                };
            };
        };
    };
    read_key_audit: {
        parameters: {
            query?: {
                since?: Date;
                until?: Date;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The ID of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"][];
                };
            };
        };
    };
    read_usage: {
        parameters: {
            query?: {
                period?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageLine"][];
                };
            };
        };
    };
    read_usage_daily: {
        parameters: {
            query?: {
                period?: string;
                key_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyUsageLine"][];
                };
            };
        };
    };
    read_audit: {
        parameters: {
            query?: {
                since?: Date;
                until?: Date;
                limit?: number;
                cursor?: string;
                operation?: "create_key" | "rename_key" | "rotate_key" | "delete_key" | "restore_key" | "freeze_key" | "thaw_key" | "destroy_key" | "encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "create_api_key" | "update_api_key" | "revoke_api_key" | "create_container" | "rename_container" | "delete_container" | "create_firewall" | "update_firewall" | "delete_firewall" | "invite_member" | "revoke_invitation" | "accept_invitation" | "change_role" | "remove_member" | "rename_tenant";
                result?: "success" | "error";
                key_id?: string;
                api_key_id?: string;
                user_id?: string;
                target_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"][];
                };
            };
        };
    };
    read_audit_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    read_audit_seals: {
        parameters: {
            query?: {
                from?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Seal"][];
                };
            };
        };
    };
    read_audit_entries: {
        parameters: {
            query?: {
                from?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["AuditEvent"] | null)[];
                };
            };
        };
    };
    read_audit_restorations: {
        parameters: {
            query?: {
                from?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
        };
    };
    get_caller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Caller"];
                };
            };
        };
    };
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    rename_tenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new name, or `null` to remove it. */
                    name: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    list_members: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
                };
            };
        };
    };
    remove_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    change_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the member may do.
                     * @enum {string}
                     */
                    role: "owner" | "admin" | "auditor";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    list_invitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    invite_member: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the member may do.
                     * @enum {string}
                     */
                    role: "owner" | "admin" | "auditor";
                    /** @description Reminds the members what the invitation is for. */
                    note?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
        };
    };
    revoke_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the invitation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    preview_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The token of the invitation. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPreview"];
                };
            };
        };
    };
    accept_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The token of the invitation. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    list_api_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
        };
    };
    create_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name: string;
                    /** @description The container. The default is the API key's container; for a person, it is the tenant's default container. */
                    container_id?: string | null;
                    /** @description What the API key may do with keys. */
                    allowed_actions?: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[] | null;
                    /** @description The only keys that the API key may use. `null` allows all keys of its container. */
                    key_ids?: string[] | null;
                    /** @description The firewall with the networks that the API key may be used from. `null` allows every network. */
                    firewall_id?: string | null;
                    /** @description From when on the API key does not work: a future time. `null` means that it does not expire. */
                    expires_at?: Date | null;
                    /** @description The workloads that can use the API key with their ID tokens instead of its token. */
                    federations?: {
                        /**
                         * Format: uri
                         * @description One of `workload_issuers` in `GET /v1/sign-in`.
                         */
                        issuer: string;
                        /** @description The claims that an ID token must have, with exactly these values. */
                        claims: {
                            [key: string]: string | number | boolean;
                        };
                    }[] | null;
                    /** @description `true` makes an API key without a token, which only workloads can use. */
                    without_token?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    get_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    revoke_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name?: string;
                    /** @description What the API key may do with keys. */
                    allowed_actions?: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[];
                    /** @description `null` removes the key list. */
                    key_ids?: string[] | null;
                    /** @description `null` removes the firewall. */
                    firewall_id?: string | null;
                    /** @description From when on the API key does not work: a future time. `null` means that it does not expire. */
                    expires_at?: Date | null;
                    /** @description Replaces the list of workloads that can use the API key. */
                    federations?: {
                        /**
                         * Format: uri
                         * @description One of `workload_issuers` in `GET /v1/sign-in`.
                         */
                        issuer: string;
                        /** @description The claims that an ID token must have, with exactly these values. */
                        claims: {
                            [key: string]: string | number | boolean;
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    list_containers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Container"][];
                };
            };
        };
    };
    create_container: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Container"];
                };
            };
        };
    };
    get_container: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the container. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Container"];
                };
            };
        };
    };
    delete_container: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the container. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rename_container: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the container. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Container"];
                };
            };
        };
    };
    list_firewalls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Firewall"][];
                };
            };
        };
    };
    create_firewall: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name: string;
                    /** @description Networks in CIDR notation, such as `203.0.113.0/24`. Without a prefix length, an entry is a single address. */
                    allowed_ips: string[];
                    /** @description The container. The default is the API key's container; for a person, it is the tenant's default container. */
                    container_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Firewall"];
                };
            };
        };
    };
    get_firewall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the firewall. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Firewall"];
                };
            };
        };
    };
    delete_firewall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the firewall. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_firewall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of the firewall. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description No control characters, and not only whitespace. */
                    name?: string;
                    /** @description Networks in CIDR notation, such as `203.0.113.0/24`. Without a prefix length, an entry is a single address. */
                    allowed_ips?: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Firewall"];
                };
            };
        };
    };
    read_billing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Billing"];
                };
            };
        };
    };
    start_checkout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redirect"];
                };
            };
        };
    };
    open_portal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redirect"];
                };
            };
        };
    };
    read_statement: {
        parameters: {
            query?: {
                period?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
        };
    };
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Live"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
        };
    };
}
