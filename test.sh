#!/usr/bin/env bash
# Checks everything: format, lints, tests, the web page and, where there is a Chromium, the page in a browser.
# It does its own set-up and needs cargo; node 20 and npm for the page. Under CI=true nothing may be skipped silently.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly node_major_min=20
readonly page=crates/gateway/ui
readonly dist=crates/gateway/dist
readonly browser=tests/browser
stage_now=""
summary=()

say() {
    printf '%s\n' "$*"
}

# Runs a stage, `stage NAME COMMAND…`, and notes how long it took.
stage() {
    stage_now=$1
    shift
    local began=$SECONDS
    say "==> $stage_now"
    "$@"
    local line
    line=$(printf '%-28s %4d s' "$stage_now" $((SECONDS - began)))
    say "<== $line"
    summary+=("ok       $line")
    stage_now=""
}

# Leaves a stage out, `skip NAME WHY`; in CI that is an error.
skip() {
    if [[ ${CI:-} == true ]]; then
        say "!!! $1 cannot be skipped in CI: $2" >&2
        exit 1
    fi
    say "--- $1 is SKIPPED: $2"
    summary+=("skipped  $1: $2")
}

close() {
    local status=$?
    say
    say "Summary"
    if ((${#summary[@]})); then
        printf '  %s\n' "${summary[@]}"
    fi
    if [[ -n $stage_now ]]; then
        say "  FAILED   $stage_now"
    elif ((status)); then
        say "  FAILED"
    else
        say "  everything that ran passed, in $SECONDS s"
    fi
}
trap close EXIT

# Says why the page cannot be checked here; says nothing when it can.
page_obstacle() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        say "node $node_major_min or later and npm are needed"
        return
    fi
    local major
    major=$(node --print 'process.versions.node.split(".")[0]')
    if ((major < node_major_min)); then
        say "node is $(node --version), $node_major_min or later is needed"
    fi
}

in_page() {
    (cd "$page" && "$@")
}

# The built page is kept in the repository, so that cargo alone can build the binary.
built_page_is_kept() {
    local strays
    if ! git diff --exit-code --stat -- "$dist"; then
        say "the built page differs from $dist: keep the new build" >&2
        return 1
    fi
    strays=$(git ls-files --others --exclude-standard -- "$dist")
    if [[ -n $strays ]]; then
        say "the build made files that $dist does not keep:" "$strays" >&2
        return 1
    fi
}

chromium_path() {
    local name
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
        if [[ -n $name ]] && command -v "$name"; then
            return
        fi
    done
    return 1
}

check_rust() {
    if ! command -v cargo >/dev/null; then
        say "cargo is missing: install rustup, it brings the toolchain that rust-toolchain.toml names" >&2
        return 1
    fi
    stage "format" cargo fmt --all --check
    stage "lints" cargo clippy --workspace --all-targets --locked -- -D warnings
    stage "tests" cargo test --workspace --locked
}

check_page() {
    local obstacle
    obstacle=$(page_obstacle)
    if [[ -n $obstacle ]]; then
        skip "the web page" "$obstacle"
        return
    fi
    stage "page: install" in_page npm ci --ignore-scripts --no-audit --no-fund
    stage "page: types" in_page npm run check
    stage "page: tests" in_page npm test
    stage "page: build" in_page npm run build
    stage "page: the build is kept" built_page_is_kept
    check_browser
}

check_browser() {
    local chromium
    [[ -f $browser/run.sh ]] || return 0
    if ! chromium=$(chromium_path); then
        skip "the page in a browser" "no chromium is found; CHROMIUM may name one"
        return
    fi
    stage "page: in a browser" env CHROMIUM="$chromium" "$browser/run.sh"
}

check_rust
check_page
