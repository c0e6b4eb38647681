/*
 * Made of docs/openapi.json by `npm run generate -w client`: not to be changed by hand.
 */

/** Every code that the service answers. */
export const API_CODES = [
  "action_not_allowed",
  "api_key_required",
  "billing_active",
  "billing_not_set_up",
  "billing_required",
  "container_exists",
  "container_is_default",
  "container_not_empty",
  "firewall_exists",
  "firewall_in_use",
  "free_key_exists",
  "internal_error",
  "invalid_allowed_actions",
  "invalid_allowed_ips",
  "invalid_base64",
  "invalid_ciphertext",
  "invalid_container",
  "invalid_dek_length",
  "invalid_firewall",
  "invalid_key_ids",
  "invalid_name",
  "invalid_period",
  "invalid_query",
  "invalid_request",
  "invalid_tier",
  "ip_not_allowed",
  "key_exists",
  "key_not_allowed",
  "key_pending_deletion",
  "limit_reached",
  "method_not_allowed",
  "no_tenant",
  "not_found",
  "not_pending_deletion",
  "ops_cap_reached",
  "payload_too_large",
  "rate_limited",
  "restore_window_closed",
  "session_required",
  "unauthorized",
  "unavailable",
  "unsupported_media_type"
] as const;

/** Of each operation its route, whether it needs no credential, the statuses of its answer, whether that is no JSON, the names of fields that hold bytes or times. */
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
      "destroy_after"
    ]
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
      "destroy_after"
    ]
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
      "destroy_after"
    ]
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
      "destroy_after"
    ]
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
      "destroy_after"
    ]
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
      "destroy_after"
    ]
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
      "destroy_after"
    ]
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    ]
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
    ]
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
    "times": []
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
    ]
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
      "created_at",
      "last_used_at"
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
      "last_used_at"
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
      "last_used_at"
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
      "created_at",
      "last_used_at"
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
    "times": []
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
    ]
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
    ]
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
    ]
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
    ]
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
    "times": []
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
    ]
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
    ]
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
    ]
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
    ]
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
    "times": []
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
        /** List the live keys that the caller may see, oldest first */
        get: operations["list_keys"];
        put?: never;
        /** Create a key */
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
        /** Get a key */
        get: operations["get_key"];
        put?: never;
        post?: never;
        /** Request the deletion of a key; for seven days it can be undone */
        delete: operations["delete_key"];
        options?: never;
        head?: never;
        /** Rename a key; id, versions and ciphertext stay */
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
        /** Make a new primary version; versions beyond the retained ones stop opening ciphertext at once */
        post: operations["rotate_key"];
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
        /** Undo a deletion */
        post: operations["restore_key"];
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
        /** Destroy a key at once; this cannot be undone */
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
        /** Encrypt up to 64 KiB */
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
        /** Decrypt what encrypt or wrap made, under any version still enabled */
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
        /** Wrap a data key: the one given, or a new one of 32 random bytes */
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
        /** Unwrap a data key */
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
        /** Re-encrypt under the current primary version; the plaintext stays inside */
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
        /** A key's audit events, newest first; pending and destroyed keys included */
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
        /** Operations and allowance of each key in a month, oldest key first */
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
        /** Operations of each key on each UTC day of a month that has any, by day and then key id */
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
        /** The tenant's audit events, newest first; failed creations included */
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
        /** The verifier key of the tenant's sealed audit log, as C2SP signed-note writes it */
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
        /** The seals of the tenant's audit log from an index on, oldest first */
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
        /** The sealed audit events from an entry on, in the order of the tree; null where one is gone */
        get: operations["read_audit_entries"];
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
        /** What a console or a program needs to sign a person in at the identity provider */
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
        /** The signed-in user and their tenant, made at the first request */
        get: operations["me"];
        put?: never;
        post?: never;
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
        /** List the tenant's live API keys, oldest first */
        get: operations["list_api_keys"];
        put?: never;
        /** Mint an API key; its token is shown once, here */
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
        /** Get a live API key */
        get: operations["get_api_key"];
        put?: never;
        post?: never;
        /** Revoke an API key at once */
        delete: operations["revoke_api_key"];
        options?: never;
        head?: never;
        /** Rename an API key or change what it is held to; null lifts a key list or a firewall */
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
        /** List the tenant's containers, oldest first */
        get: operations["list_containers"];
        put?: never;
        /** Create a container */
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
        /** Get a container */
        get: operations["get_container"];
        put?: never;
        post?: never;
        /** Delete an empty container */
        delete: operations["delete_container"];
        options?: never;
        head?: never;
        /** Rename a container */
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
        /** List the tenant's firewalls, oldest first */
        get: operations["list_firewalls"];
        put?: never;
        /** Create a firewall: a named list of networks */
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
        /** Get a firewall */
        get: operations["get_firewall"];
        put?: never;
        post?: never;
        /** Delete a firewall that no live API key is held to */
        delete: operations["delete_firewall"];
        options?: never;
        head?: never;
        /** Rename a firewall or change its networks, in force at once */
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
        /** The tenant's billing standing */
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
        /** Open the payment provider's page to subscribe on */
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
        /** Open the payment provider's page to change or end the subscription on */
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
        /** What a month costs: a line for each paid key */
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
        /** Whether the process runs; touches nothing else */
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
        /** Whether all that the service needs answers: Firestore, the KMS, the policy decision point */
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
        /** This document */
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
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            tier: "free" | "wrapped" | "software" | "hsm";
            /** Format: uuid */
            container_id: string;
            /** @enum {string} */
            state: "active" | "pending_deletion";
            /**
             * Format: date-time
             * @description RFC 3339, UTC, microseconds
             */
            created_at: Date;
            delete_requested_at: Date | null;
            destroy_after: Date | null;
            primary_version: number;
            versions: {
                version: number;
                /** @enum {string} */
                state: "enabled" | "destroy_scheduled";
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC, microseconds
                 */
                created_at: Date;
            }[];
        };
        Ciphertext: {
            /** Format: byte */
            ciphertext: Uint8Array<ArrayBuffer>;
        };
        Plaintext: {
            /** Format: byte */
            plaintext: Uint8Array<ArrayBuffer>;
        };
        Wrapped: {
            /** Format: byte */
            wrapped: Uint8Array<ArrayBuffer>;
            /** Format: byte */
            dek?: Uint8Array<ArrayBuffer>;
        };
        Dek: {
            /** Format: byte */
            dek: Uint8Array<ArrayBuffer>;
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description to the microsecond; usable as it is for since and until
             */
            ts: Date;
            /** @enum {string} */
            operation: "create_key" | "rename_key" | "rotate_key" | "delete_key" | "restore_key" | "destroy_key" | "encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap";
            /** @enum {string} */
            result: "success" | "error";
            error_code: ("invalid_request" | "invalid_base64" | "invalid_dek_length" | "invalid_ciphertext" | "invalid_name" | "invalid_tier" | "invalid_container" | "invalid_query" | "invalid_period" | "invalid_allowed_actions" | "invalid_key_ids" | "invalid_firewall" | "invalid_allowed_ips" | "unauthorized" | "billing_required" | "api_key_required" | "session_required" | "ip_not_allowed" | "key_not_allowed" | "action_not_allowed" | "no_tenant" | "not_found" | "method_not_allowed" | "key_pending_deletion" | "key_exists" | "free_key_exists" | "not_pending_deletion" | "restore_window_closed" | "container_exists" | "container_is_default" | "container_not_empty" | "firewall_exists" | "firewall_in_use" | "limit_reached" | "billing_active" | "billing_not_set_up" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "ops_cap_reached" | "internal_error" | "unavailable") | null;
            request_id: string | null;
            key_id: string | null;
            api_key_id: string | null;
            user_id: string | null;
        };
        UsageLine: {
            /** Format: uuid */
            key_id: string;
            /** Format: uuid */
            container_id: string;
            ops: number;
            overage_ops: number;
            cap: number;
            allowance: number;
        };
        DailyUsageLine: {
            /** Format: date */
            day: string;
            /** Format: uuid */
            key_id: string;
            /** Format: uuid */
            container_id: string;
            ops: number;
        };
        Seal: {
            /** @description 0 for the first */
            index: number;
            /** Format: date-time */
            from: Date;
            /**
             * Format: date-time
             * @description it covers the events of from <= ts < until; the next one begins there
             */
            until: Date;
            /** @description the number of its first entry in the log, which counts from 0 */
            first_entry: number;
            entries: number;
            /** @description how many entries the log has with it */
            size: number;
            /** @description the root of their tree (RFC 9162), base64 */
            root: string;
            /** @description size and root as the log has signed them: a C2SP tlog-checkpoint */
            checkpoint: string;
        };
        SignIn: {
            /** Format: uri */
            issuer: string;
            client_id: string;
            scope: string;
            audience: string;
        };
        Me: {
            user: {
                /** Format: uuid */
                id: string;
                email: string | null;
                name: string | null;
            };
            tenant: {
                /** Format: uuid */
                id: string;
                /** Format: date-time */
                created_at: Date;
            };
            /** @constant */
            role: "owner";
        };
        NewApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            prefix: string;
            /** Format: uuid */
            container_id: string;
            allowed_actions: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[];
            key_ids: string[] | null;
            firewall_id: string | null;
            /** Format: date-time */
            created_at: Date;
            last_used_at: Date | null;
            token: string;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            prefix: string;
            /** Format: uuid */
            container_id: string;
            allowed_actions: ("encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap" | "rotate" | "create" | "rename" | "delete" | "restore")[];
            key_ids: string[] | null;
            firewall_id: string | null;
            /** Format: date-time */
            created_at: Date;
            last_used_at: Date | null;
        };
        Container: {
            /** Format: uuid */
            id: string;
            name: string;
            is_default: boolean;
            /** Format: date-time */
            created_at: Date;
        };
        Firewall: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            container_id: string;
            allowed_ips: string[];
            /** Format: date-time */
            created_at: Date;
            /** Format: date-time */
            updated_at: Date;
        };
        Billing: {
            /** @enum {string} */
            standing: "good" | "none";
            subscription: {
                status: string;
            } | null;
        };
        Redirect: {
            /** Format: uri */
            url: string;
        };
        Statement: {
            period: string;
            /** @constant */
            currency: "usd";
            lines: {
                /** Format: uuid */
                key_id: string;
                key_name: string;
                /** @enum {string} */
                tier: "free" | "wrapped" | "software" | "hsm";
                days: number | null;
                days_in_month: number | null;
                fee_cents: string;
                ops: number;
                allowance: number;
                overage_ops: number;
                overage_cents: string;
            }[];
            total_cents: string;
        };
        Received: Record<string, never>;
        Transit_encrypt: {
            /** @description the x-request-id of the response */
            request_id: string;
            /** @constant */
            lease_id: "";
            /** @constant */
            renewable: false;
            /** @constant */
            lease_duration: 0;
            wrap_info: null;
            warnings: null;
            data: {
                /** @description vault:v<version>:<the ciphertext in base64> */
                ciphertext: string;
                key_version: number;
            } | {
                batch_results: ({
                    /** @description vault:v<version>:<the ciphertext in base64> */
                    ciphertext: string;
                    key_version: number;
                } | {
                    error: string;
                })[];
            };
            auth: null;
            /** @description where every item has failed */
            errors?: string[];
        };
        Transit_decrypt: {
            /** @description the x-request-id of the response */
            request_id: string;
            /** @constant */
            lease_id: "";
            /** @constant */
            renewable: false;
            /** @constant */
            lease_duration: 0;
            wrap_info: null;
            warnings: null;
            data: {
                /** Format: byte */
                plaintext: Uint8Array<ArrayBuffer>;
            } | {
                batch_results: ({
                    /** Format: byte */
                    plaintext: Uint8Array<ArrayBuffer>;
                } | {
                    error: string;
                })[];
            };
            auth: null;
            /** @description where every item has failed */
            errors?: string[];
        };
        Transit_rewrap: {
            /** @description the x-request-id of the response */
            request_id: string;
            /** @constant */
            lease_id: "";
            /** @constant */
            renewable: false;
            /** @constant */
            lease_duration: 0;
            wrap_info: null;
            warnings: null;
            data: {
                /** @description vault:v<version>:<the ciphertext in base64> */
                ciphertext: string;
                key_version: number;
            } | {
                batch_results: ({
                    /** @description vault:v<version>:<the ciphertext in base64> */
                    ciphertext: string;
                    key_version: number;
                } | {
                    error: string;
                })[];
            };
            auth: null;
            /** @description where every item has failed */
            errors?: string[];
        };
        Transit_datakey_plaintext: {
            /** @description the x-request-id of the response */
            request_id: string;
            /** @constant */
            lease_id: "";
            /** @constant */
            renewable: false;
            /** @constant */
            lease_duration: 0;
            wrap_info: null;
            warnings: null;
            data: {
                /** @description vault:v<version>:<the ciphertext in base64> */
                ciphertext: string;
                key_version: number;
                /** Format: byte */
                plaintext: Uint8Array<ArrayBuffer>;
            };
            auth: null;
        };
        Transit_datakey_wrapped: {
            /** @description the x-request-id of the response */
            request_id: string;
            /** @constant */
            lease_id: "";
            /** @constant */
            renewable: false;
            /** @constant */
            lease_duration: 0;
            wrap_info: null;
            warnings: null;
            data: {
                /** @description vault:v<version>:<the ciphertext in base64> */
                ciphertext: string;
                key_version: number;
            };
            auth: null;
        };
        Transit_key: {
            /** @description the x-request-id of the response */
            request_id: string;
            /** @constant */
            lease_id: "";
            /** @constant */
            renewable: false;
            /** @constant */
            lease_duration: 0;
            wrap_info: null;
            warnings: null;
            data: {
                name: string;
                /** @constant */
                type: "aes256-gcm96";
                /** @description when each enabled version was made, in seconds since 1970, by its number */
                keys: {
                    [key: string]: number;
                };
                latest_version: number;
                /** @constant */
                min_available_version: 0;
                min_decryption_version: number;
                /** @constant */
                min_encryption_version: 0;
                /** @constant */
                supports_encryption: true;
                /** @constant */
                supports_decryption: true;
                /** @constant */
                supports_derivation: false;
                /** @constant */
                supports_signing: false;
                /** @constant */
                derived: false;
                /** @constant */
                exportable: false;
                /** @constant */
                allow_plaintext_backup: false;
                /** @constant */
                deletion_allowed: false;
                /** @constant */
                auto_rotate_period: 0;
                /** @constant */
                imported_key: false;
                /**
                 * Format: uuid
                 * @description its id in the other routes
                 */
                id: string;
                /** @enum {string} */
                tier: "free" | "wrapped" | "software" | "hsm";
                /** @enum {string} */
                state: "active" | "pending_deletion";
            };
            auth: null;
        };
        Live: {
            /** @constant */
            status: "ok";
        };
        Ready: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            checks: {
                /** @enum {string} */
                firestore: "ok" | "unavailable";
                /** @enum {string} */
                kms: "ok" | "unavailable";
                /** @enum {string} */
                policy: "ok" | "unavailable";
            };
        };
        OpenApiDocument: {
            [key: string]: unknown;
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
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                    name: string;
                    tier: string;
                    container_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
    restore_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: byte */
                    plaintext: Uint8Array;
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: byte */
                    ciphertext: Uint8Array;
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    dek?: Uint8Array | null;
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: byte */
                    wrapped: Uint8Array;
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: byte */
                    ciphertext: Uint8Array;
                    aad?: Uint8Array | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
                operation?: "create_key" | "rename_key" | "rotate_key" | "delete_key" | "restore_key" | "destroy_key" | "encrypt" | "decrypt" | "wrap" | "unwrap" | "rewrap";
                result?: "success" | "error";
                key_id?: string;
                api_key_id?: string;
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
                    name: string;
                    container_id?: string | null;
                    allowed_actions?: string[] | null;
                    key_ids?: string[] | null;
                    firewall_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    allowed_actions?: string[] | null;
                    key_ids?: string[] | null;
                    firewall_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
            /** @description The answer */
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
                    name: string;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description The answer */
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
            /** @description The answer */
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
                    name: string;
                    allowed_ips: string[];
                    container_id?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
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
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    allowed_ips?: string[];
                };
            };
        };
        responses: {
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
            /** @description The answer */
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
