#!/bin/sh
# Tries csp on a real machine, macOS or Linux, and writes a report to send in: install, login, one search of each
# strategy, a service, what to look at after a reboot, uninstall. What csp says of a search is numbers; no question, no
# answer, no key and no account stand in the report, and your name, home and host are replaced.
#
#   sh try-here.sh                   asks before each step
#   sh try-here.sh --yes             asks nothing, except what the login asks
#   sh try-here.sh --after-reboot    looks whether the service came back, and adds that to the report
#   --sandbox                        without an account: searches of the sandbox, whose pages are samples
#   --csp COMMAND                    how csp is called; by default npx --yes claude-search-proxy, in a checkout its own
#   --report FILE                    by default csp-report.txt in this folder
#
# It starts csp at port 52489, so that it does not meet a csp of yours.
set -u

yes='' sandbox='' after='' csp='' report=csp-report.txt port=52489
while [ $# -gt 0 ]; do
  case $1 in
    --yes) yes=1 ;;
    --sandbox) sandbox=1 ;;
    --after-reboot) after=1 ;;
    --csp | --report)
      [ $# -gt 1 ] || { echo "$1 needs a value." >&2; exit 2; }
      if [ "$1" = --csp ]; then csp=$2; else report=$2; fi
      shift
      ;;
    -h | --help)
      sed -n '2,14s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *)
      echo "There is no flag $1. --help shows all." >&2
      exit 2
      ;;
  esac
  shift
done

# Beside this script in a checkout and in the package.
launcher=''
if [ -z "$csp" ]; then
  csp='npx --yes claude-search-proxy'
  if [ -f "$(dirname "$0")/../bin/csp.mjs" ]; then
    launcher=$(cd "$(dirname "$0")/../bin" && pwd)/csp.mjs
    csp="node $launcher"
  fi
fi
[ -z "$sandbox" ] || export CSP_SANDBOX=1
export CSP_PORT=$port CSP_NO_UPDATE_CHECK=1 NO_COLOR=1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# A name as a whole word: a user may be called pi, and no word has to lose these letters.
word() {
  printf 's/(^|[^[:alnum:]])%s($|[^[:alnum:]])/\\1%s\\2/g' "$(printf %s "$1" | sed 's/[][\\.*^$/+?(){}|]/\\&/g')" "$2"
}

# Names of this person and machine, and whatever looks like a key, an account or a login link.
clean() {
  host=$(uname -n)
  sed -e "s|$(printf %s "$HOME" | sed 's/[][\\.*^$|]/\\&/g')|~|g" |
    sed -E -e "$(word "$(id -un)" USER)" -e "$(word "$(id -un)" USER)" \
      -e "$(word "$host" HOST)" -e "$(word "${host%%.*}" HOST)" |
    sed -e 's/csp_[A-Za-z0-9_-]\{20,\}/KEY/g' \
    -e 's/sk-ant-[A-Za-z0-9_-]*/TOKEN/g' \
    -e 's/[A-Za-z0-9._%+-]*@[A-Za-z0-9-]*\.[A-Za-z0-9.-]*/MAIL/g' \
    -e 's|https://claude\.[a-z]*/[^ ]*|LOGIN-LINK|g'
}

note() {
  printf '%s\n' "$*" | clean >> "$report"
}

wanted() {
  [ -z "$yes" ] || return 0
  printf '%s [Y/n] ' "$1"
  read -r reply || return 1
  case $reply in '' | y | Y | yes) return 0 ;; *) return 1 ;; esac
}

# step TITLE COMMAND…: runs it, shows what it says, and notes it with its code and seconds. 3 means signed out.
step() {
  title=$1
  shift
  echo "== $title"
  begun=$(date +%s)
  "$@" > "$scratch/said" 2>&1
  code=$?
  cat "$scratch/said"
  note "== $title: code $code, $(($(date +%s) - begun)) s"
  clean < "$scratch/said" | sed 's/^/   /' >> "$report"
  [ "$code" = 0 ] || failed=$((failed + 1))
  return $code
}

# The path of the launcher may have spaces; otherwise the words of $csp are a command with its arguments.
# shellcheck disable=SC2086
run() { if [ -n "$launcher" ]; then node "$launcher" "$@"; else $csp "$@"; fi; }

alive() {
  if command -v curl > /dev/null; then
    curl -fsS "http://127.0.0.1:$port/health/live"
  else
    run status
  fi
}

if [ -n "$after" ]; then
  note "After a reboot, $(date -u +%Y-%m-%dT%H:%MZ)"
  step 'the service after a reboot' run status
  step 'csp answers after a reboot' alive
  if wanted 'Remove the service now?'; then step 'no more at login' run stop --at-login; fi
  echo "Added to $report. Please send it in."
  exit "$([ "$failed" = 0 ] && echo 0 || echo 1)"
fi

# What csp had here before is not this script's to remove.
had=''
for folder in "${XDG_CONFIG_HOME:-$HOME/.config}/csp" "${XDG_STATE_HOME:-$HOME/.local/state}/csp"; do
  [ ! -e "$folder" ] || had=1
done

: > "$report"
note "csp on a real machine, $(date -u +%Y-%m-%dT%H:%MZ)"
note "system: $(uname -srm)"
if command -v sw_vers > /dev/null; then
  note "macOS $(sw_vers -productVersion)"
elif [ -r /etc/os-release ]; then
  note "$(sed -n 's/^PRETTY_NAME="*\([^"]*\).*/\1/p' /etc/os-release)"
fi
note "node $(node --version 2> /dev/null || echo missing), npm $(npm --version 2> /dev/null || echo missing)"
note "called by: $csp${sandbox:+, on the sandbox}"

step 'install' run --version || { echo "csp does not run: see $report."; exit 1; }
if [ -z "$sandbox" ] && wanted 'Sign in, where the CLI is signed out? csp asks before it fetches the CLI.'; then
  # In this terminal, since it asks; what it says is not noted.
  run login ${yes:+--yes}
  note "== login: code $?"
fi
step 'doctor' run doctor
if wanted 'Make one search of each strategy? They are some six searches on your plan.'; then
  step 'searches' run doctor --live
fi

is_service=''
if wanted 'Install csp as a service of this user?'; then
  if step 'at login' run start --at-login --port "$port"; then
    is_service=1
    step 'restart' run restart
  else
    note 'No service here; csp start instead.'
    echo 'There is no service manager for this user here, or it failed: going on with csp start.'
    run stop --at-login > /dev/null 2>&1
    step 'start' run start --port "$port"
  fi
  step 'csp answers' alive
  step 'status' run status
fi

if [ -n "$is_service" ] && [ -z "$yes" ] && wanted 'Keep the service, to see whether it comes back after a reboot?'; then
  echo "Reboot, log in, and run: sh $0 --after-reboot --report $report"
  exit "$([ "$failed" = 0 ] && echo 0 || echo 1)"
fi
[ -z "$is_service" ] || step 'no more at login' run stop --at-login
run stop > /dev/null 2>&1
if [ -n "$had" ]; then
  note 'csp was set up here before, so uninstall was not tried.'
elif wanted 'Remove what csp has written here? The CLI and its login stay, unless csp has fetched the CLI.'; then
  step 'uninstall' run uninstall --yes
fi
note "steps that failed: $failed"
echo "The report is in $report. Please read it, then send it in."
[ "$failed" = 0 ]
