#!/usr/bin/env bash
#
# Envelope encryption of a file, with curl and gpg:
#
#   examples/envelope.sh encrypt <in> <out>
#   examples/envelope.sh decrypt <in> <out>
#
# The file never leaves this machine. The service makes a data key (`wrap`), gpg encrypts the file with it here, and only
# the wrapped data key is kept, in the file itself. To decrypt, the service unwraps it again (`unwrap`).
#
# Environment:
#   API_KEY   the token of an API key that may `wrap` and `unwrap`
#   KEY_ID    the id of the key that wraps the data key
#   BASE_URL  where the service is; http://127.0.0.1:8080 by default, which is `npm start`
#   PURPOSE   what the file is for, `file` by default; a file encrypted for one purpose does not open for another
# After `npm start`, `curl -s http://127.0.0.1:8089/` answers an `api_key` and a `key_id` to try it with.
#
# The encrypted file: one line with the wrapped data key in base64, then an OpenPGP message.
#
# Why gpg (Debian: apt install gpg curl): the file must be authenticated, not only encrypted, and the data key must reach
# the program through a pipe, for a command line can be read by every user of the machine. `openssl enc` does not
# authenticate. `openssl cms`, `dgst` and `mac` take a symmetric key on the command line. `age` asks for a passphrase on
# the terminal. gpg takes the data key, in base64, as a passphrase from a pipe, and OpenPGP detects every change (MDC).
set -euo pipefail
umask 077

BASE_URL=${BASE_URL:-http://127.0.0.1:8080}
PURPOSE=${PURPOSE:-file}

die() { printf '%s\n' "$1" >&2; exit 1; }

[[ $# -eq 3 && $1 =~ ^(encrypt|decrypt)$ ]] || die "usage: $0 encrypt|decrypt <in> <out>"
[[ ${API_KEY:-} && ${KEY_ID:-} ]] || die 'API_KEY and KEY_ID must be set; see the head of this file'
for program in curl gpg; do command -v "$program" >/dev/null || die "$program is needed: apt install $program"; done

# post <operation> <body>: the answer's body. The credential goes through a pipe, the body holds no secret.
post() {
  printf 'header = "Authorization: Bearer %s"\nheader = "Content-Type: application/json"\n' "$API_KEY" |
    curl --silent --show-error --config - --data "$2" "$BASE_URL/v1/keys/$KEY_ID/$1"
}

# field <name> <answer>: a field of an answer, which must be there.
field() {
  local value
  value=$(printf '%s' "$2" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p")
  [[ $value ]] || die "the service answered: $2"
  printf '%s' "$value"
}

# A home of its own keeps the user's configuration and keys out; no agent is started and nothing is remembered.
home=$(mktemp -d)
part=''
trap 'rm -rf "$home" ${part:+"$part"}' EXIT
openpgp() { gpg --homedir "$home" --batch --no-tty --quiet --no-symkey-cache --pinentry-mode loopback --passphrase-fd 3 "$@"; }

aad=$(printf '%s' "$PURPOSE" | base64 --wrap=0)
# The output gets its name only once it is whole and, when decrypting, known to be unchanged.
part=$(mktemp -- "$3.XXXXXX")

if [[ $1 == encrypt ]]; then
  answer=$(post wrap "{\"aad\":\"$aad\"}")
  wrapped=$(field wrapped "$answer")
  dek=$(field dek "$answer")
  printf '%s\n' "$wrapped" >"$part"
  # The passphrase is 256 random bits: stretching it would add nothing, a fixed small count also asks no agent for one.
  openpgp --symmetric --cipher-algo AES256 --s2k-digest-algo SHA256 --s2k-count 65536 --compress-algo none \
    <"$2" >>"$part" 3< <(printf '%s\n' "$dek")
else
  IFS= read -r wrapped <"$2" || true
  [[ $wrapped =~ ^[A-Za-z0-9+/]+=*$ ]] || die 'not a file that this program encrypted'
  answer=$(post unwrap "{\"wrapped\":\"$wrapped\",\"aad\":\"$aad\"}")
  dek=$(field dek "$answer")
  # gpg succeeds on a message that was never encrypted, too. Only the status tells that it was, and was not changed.
  tail --lines=+2 -- "$2" | openpgp --decrypt --status-file "$home/status" >"$part" 3< <(printf '%s\n' "$dek") ||
    die 'the file was changed after it was encrypted'
  grep -q '^\[GNUPG:\] DECRYPTION_OKAY$' "$home/status" || die 'the file is not encrypted with its data key'
fi
mv -- "$part" "$3"
