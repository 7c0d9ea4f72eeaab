/** The help of each command, read by help-page.ts. Made by `npm run docs`: change the commands, not this file. */
export const HELP_PAGES = `
# init
selvage init [options] [folder]
make a project here, with an example that runs without a key
Arguments
folder	where; made if it does not exist
Options
--template <name>	what to begin with: one thread, or a tree that works in waves (choices: "minimal", "waves", default: "minimal")
--force	write the example files anew where they exist
-h, --help	display help for command

# demo
selvage demo [options]
watch a tree of agents survive a real kill -9 within its budget; no key, no network
Options
--fast	without pauses, in a few seconds
--step	press a key for each act
--auto	never ask; questions are answered with yes
--dir <folder>	play in this folder, and keep it
--keep	keep the temporary folder to look at
--no-crash	without the kill and the recovery
--record <file>	write a timed recording (asciicast v2)
-h, --help	display help for command

# run
selvage run [options] <directive> [inputs...]
start a thread and run it here
Arguments
directive	name of a file under .ai/directives/, without .md
inputs	its inputs, as name=value
Options
--input <file>	inputs from a JSON file; name=value wins over it
--set <limit=value>	a limit over the directive's, such as turns=40 (again for more)
--model <model>	another model than the directive's: provider/model, or a tier
--dry-run	check everything and show what it could spend at most; start nothing
--timeout <seconds>	stop hosting after this time; the thread stays recoverable (exit 8)
-d, --detach	in the background: a host is started if there is none
-h, --help	display help for command

# status
selvage status [options]
the project at a glance; also \`selvage\` alone
Options
-w, --watch	again whenever something changes
-h, --help	display help for command

# ps
selvage ps [options] [filters...]
list threads, those that need you first
Arguments
filters	only those with one of these in their id
Options
-a, --all	finished ones too
-s, --status <status>	only these: a status or what is shown under STATE
--root <id>	only the tree that this thread is in
--since <time>	only those that something happened in since then: 2h, 7d, 2026-11-16
--sort <what>	by need, age, spend, turns (default: "need")
--tree	each below the thread that started it
-n <count>	at most this many (default: 50)
-w, --watch	again whenever something changes
-h, --help	display help for command

# tree
selvage tree [options] [id]
a tree of threads: waves, state, turns, spend
Arguments
id	a thread, shown with all below it; without one, every live tree, or else the last
Options
--depth <count>	only so many generations below the top
--closed	without an id: the last 20 finished trees too
-w, --watch	again whenever something changes
-h, --help	display help for command

# show
selvage show [options] <id>
everything about one thread
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
--caps	only its rights, in full
--state	only where it stands, as it follows from its journal
--limits	only its limits against what it used
--hooks	only the hooks that were asked so far, and what they said
--paths	only its files
-h, --help	display help for command

# logs
selvage logs [options] <id>
a thread's journal as a log
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
-f, --follow	go on as it grows, until the thread ends or needs you
-n <count>	only the last events (with -f: 100)
--children	those of everyone below it too, each line with its thread
--raw	the stored records, one JSON object a line
-h, --help	display help for command

# events
selvage events [options]
what happens in the whole project, event by event
Options
-f, --follow	go on as more come
--from <cursor>	everything after this place; 0 is the beginning
-n <count>	the last so many (without --from: 100)
--type <type>	only events of this type (again, or with commas, for more)
--thread <id>	only events of this thread
-h, --help	display help for command

# chain
selvage chain [options] <id>
the threads in which one piece of work went on
Arguments
id	any thread of it: its id, a unique beginning of it, or @last
Options
--summaries	with the notes that were carried over
-h, --help	display help for command

# search
selvage search [options] <query>
where something was said: prompts, answers, calls, results, errors; the newest thread first
Arguments
query	a text; upper and lower case are the same
Options
--regex	the query is a regular expression of RE2; (?i) ignores case
--chain <id>	only this thread and its continuations
--root <id>	only the tree that this thread is in
--type <types>	only text, tool, error, question, result, or types of events (with commas)
--context <lines>	lines before and after
--limit <count>	at most so many hits (50)
--since <time>	only what is not older: 2h, 7d, 2026-11-16
--before <id:seq>	go on where another search stopped
--exit-status	exit 1 if nothing is found
-h, --help	display help for command

# replay
selvage replay [options] <id>
run a recorded thread again against its journal, with nothing executed
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
--policy <file>	with settings, error rules or hooks of this file instead (again for more)
-h, --help	display help for command

# cost
selvage cost [options] [id]
what threads cost, and what is held for them
Arguments
id	a thread and all below it: its id, a unique beginning of it, or @last; all threads without
Options
--by <what>	a line for each thread, model, day, directive (default: "thread")
--since <time>	only what was charged since then: 2h, 7d, 2026-11-16, 2026-11-16T01:20:00Z
--reserved	only where something is held for what is under way
--csv	for a spreadsheet; amounts in dollars
-h, --help	display help for command

# stats
selvage stats [options]
what threads did: money, tokens, turns, retries, failures, calls, waits for people
Options
--by <what>	a line for each tree, model, directive, day (default: "tree")
--since <time>	only what happened since then: 2h, 7d, 2026-11-16, 2026-11-16T01:20:00Z
--root <id>	only the tree that this thread is in
--csv	for a spreadsheet; amounts in dollars, times in ms
-h, --help	display help for command

# approvals
selvage approvals [options] [id]
what waits for you, the oldest first; with an id, one question in full
Arguments
id	a question: its id, a unique beginning of it, or its thread
Options
-a, --all	answered and void ones too
--reason <reason>	only these: limit, budget, error, quota, approval, storage, corrupt, crash_loop, orphaned
--exit-status	exit 3 if anything is open
-w, --watch	again whenever something changes
-h, --help	display help for command

# approve
selvage approve [options] <ids...>
say yes to a question; its thread goes on
Arguments
ids	questions: an id, a unique beginning of it, or the thread that asks
Options
--set <limit=value>	the new limit, instead of the proposed one (again for more)
--add <limit=value>	this much more than the limit there is (again for more)
-m, --message <text>	told to the thread before it goes on
--no-resume	take the answer down; the thread stays suspended
-h, --help	display help for command

# deny
selvage deny [options] <ids...>
say no to a question; the work of its thread is kept
Arguments
ids	questions: an id, a unique beginning of it, or the thread that asks
Options
-m, --message <text>	why
-h, --help	display help for command

# resume
selvage resume [options] <id>
let a suspended thread go on, or say more to one that has ended
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
--set <limit=value>	a new limit, such as turns=40 (again for more)
-m, --message <text>	told to the thread before it goes on
--at <time>	not now, but then: 2026-11-16T01:20:00Z, 01:20, +2h; or reset, when the provider said
--timeout <seconds>	stop hosting after this time; the thread stays recoverable (exit 8)
-d, --detach	in the background: a host is started if there is none
-h, --help	display help for command

# fork
selvage fork [options] <id>
start a new thread from where another was after a turn
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
--turn <n>	after this turn; 0 is the beginning. Otherwise after its last finished turn
-m, --message <text>	told to the new thread before it goes on
--set <limit=value>	a limit over the original's, such as turns=40 (again for more)
--no-start	only make it; selvage recover runs it
--timeout <seconds>	stop hosting after this time; the thread stays recoverable (exit 8)
-h, --help	display help for command

# retry
selvage retry [options] <id>
end a wait for another try: ask now, or give up
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
--now	ask the model again at once
--stop	do not ask again; the thread is suspended
-h, --help	display help for command

# recover
selvage recover [options] [ids...]
take up threads that a dead process left, or that wait for you
Arguments
ids	threads; without any, all that were left behind
Options
--all	all of them, without a question
--scan	only show the plan
--take <id>	take a thread from an owner that is alive but stuck
--mark-error	end them as failed instead; work is kept
--mark-cancelled	end them as cancelled instead; work is kept
-h, --help	display help for command

# wait
selvage wait [options] <ids...>
until threads have ended, wherever they run
Arguments
ids	threads: an id, a unique beginning of it, or @last
Options
--any	one that completes is enough
--require <count>	so many that complete are enough
--fail-fast	come back at the first that fails
--cancel-siblings	with --fail-fast: stop the others then
--timeout <seconds>	come back after this time; they go on (exit 8)
-h, --help	display help for command

# send
selvage send [options] <id> [text]
say something to a thread; it reads it before its next turn
Arguments
id	a thread: its id, a unique beginning of it, or @last
text	what; - reads it from standard input
Options
--file <file>	what stands in this file
-h, --help	display help for command

# compact
selvage compact [options] <id>
make the conversation of a thread shorter before its next turn
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
-h, --help	display help for command

# cancel
selvage cancel [options] <ids...>
stop threads and everything below them; their work is kept
Arguments
ids	threads: an id, a unique beginning of it, or @last
Options
--tree	from the root of its tree
--siblings	not it, but the other children of its parent
--reason <text>	why, for the journal (default: "cancelled by a person")
--wait	until they have ended, however long that takes
--after-tool	let tools that run come to their end; nothing new starts
-h, --help	display help for command

# budget
selvage budget [options] <id>
limits of a thread against use; change them ahead of time
Arguments
id	a thread: its id, a unique beginning of it, or @last
Options
--set <limit=value>	a new limit, such as turns=40 (again for more)
--add <limit=value>	this much more than the limit there is (again for more)
--settle <hold=amount>	what a request really cost that was charged for want of a bill
--history	who changed limits, and when
-h, --help	display help for command

# revoke
selvage revoke [options] <id> [rights...]
take rights from a thread; they do not come back
Arguments
id	a thread: its id, a unique beginning of it, or @last
rights	rights, such as execute.tool.bash or execute.tool.*, or names of tools
Options
--all	all that it has
-h, --help	display help for command

# proc
selvage proc [options] ls | logs HANDLE | stop HANDLE
processes that threads keep: list them, read them, stop them
Options
-h, --help	display help for command
Commands
ls [options]	those that run
logs [options] <handle>	what a process said last
stop <handle>	stop a process with all it started; its thread goes on

# proc ls
selvage proc ls [options]
those that run
Options
-a, --all	those that ended too
--thread <id>	only of this thread
-h, --help	display help for command

# proc logs
selvage proc logs [options] <handle>
what a process said last
Arguments
handle	a process: its handle or a unique beginning of it
Options
-f, --follow	go on as it grows, until it ends
-n <count>	this many lines (default: 50)
-h, --help	display help for command

# proc stop
selvage proc stop [options] <handle>
stop a process with all it started; its thread goes on
Arguments
handle	a process: its handle or a unique beginning of it
Options
-h, --help	display help for command

# chat
selvage chat [options]
talk with the project's agent here; what was said is kept, and the next talk goes on from it
Options
--room <name>	another talk than the usual one (default: "terminal")
-h, --help	display help for command

# rpc
selvage rpc [options]
serve a program: JSON lines on standard input and output (docs/rpc.md)
Options
--session <id>	go on with this chain: any thread of it, or @last
--model <name>	provider/model or a tier, for new chains
--system <text>	what their threads are, in a sentence or two
--permit <right>	a right their threads have, such as execute.tool.read (again for more)
--set <limit=value>	a limit of theirs, such as turns=100 (again for more)
--recover <how>	what becomes of threads that a crash left behind (choices: "auto", "off", default: "auto")
-h, --help	display help for command

# trust
selvage trust [options]
say that you trust what this project would run
Options
--show	only show what it would run, and whether it is trusted
-h, --help	display help for command

# directive
selvage directive [options] ls | show NAME | lint [NAME…] | new NAME
list, show, check and make directives
Options
-h, --help	display help for command
Commands
ls	all directives of this project
show <name>	what a directive says, and where each part of it stands
lint [options] [names...]	what is wrong with directives, with file, line and column (exit 7)
new [options] <name>	write a directive to start from

# directive ls
selvage directive ls [options]
all directives of this project
Options
-h, --help	display help for command

# directive show
selvage directive show [options] <name>
what a directive says, and where each part of it stands
Arguments
name	name of a file under .ai/directives/, without .md
Options
-h, --help	display help for command

# directive lint
selvage directive lint [options] [names...]
what is wrong with directives, with file, line and column (exit 7)
Arguments
names	name of a file under .ai/directives/, without .md; all of them when none is given
Options
--strict	exit 7 for warnings too
-h, --help	display help for command

# directive new
selvage directive new [options] <name>
write a directive to start from
Arguments
name	name of a file under .ai/directives/, without .md
Options
--xml	in the fenced XML form instead of YAML front matter
--scripted	with a scripted model and its script: runs without a key
-h, --help	display help for command

# hooks
selvage hooks [options] ls | test EVENT
which hooks there are, and which would run
Options
-h, --help	display help for command
Commands
ls	all hooks, and where they stand
test [options] <event>	which hooks would run at an event, and what follows; none is run

# hooks ls
selvage hooks ls [options]
all hooks, and where they stand
Options
-h, --help	display help for command

# hooks test
selvage hooks test [options] <event>
which hooks would run at an event, and what follows; none is run
Arguments
event	before_step, after_step, error, limit, after_complete, context_window_pressure, before_tool, after_tool
Options
--data <file>	what is known at the event, as JSON; - reads it from stdin
--thread <id>	take from this thread what the data does not say
-h, --help	display help for command

# models
selvage models [options] ls
which models there are, and what they cost
Options
-h, --help	display help for command
Commands
ls [options]	models with their prices in dollars per million tokens, and where those come from

# models ls
selvage models ls [options]
models with their prices in dollars per million tokens, and where those come from
Options
-a, --all	also those of providers without a key
-h, --help	display help for command

# classify
selvage classify [options] <text>
what the error classifier makes of a message
Arguments
text	what the provider said, such as "429 Too Many Requests"
Options
--status <number>	the HTTP status; without it, the number that the text begins with
--type <name>	the provider's own name for it, such as overloaded_error
--header <name=value>	a header of the answer; may be given again (default: [])
-h, --help	display help for command

# config
selvage config [options] show | get KEY | set KEY VALUE | check
settings: what holds and who says so; change and check them
Options
-h, --help	display help for command
Commands
show [options]	all settings with their values
get <key>	one value
set [options] <key> <value>	write one value into the project's settings; comments stay
check	what is wrong with any file of the configuration (exit 7)

# config show
selvage config show [options]
all settings with their values
Options
--origin	with the file and line of each, and what it overrides
--diff	only those that differ from what is built in
-h, --help	display help for command

# config get
selvage config get [options] <key>
one value
Arguments
key	such as retry.max_retries
Options
-h, --help	display help for command

# config set
selvage config set [options] <key> <value>
write one value into the project's settings; comments stay
Arguments
key	such as retry.max_retries
value	as in YAML
Options
--user	into your own settings, for all projects
-h, --help	display help for command

# config check
selvage config check [options]
what is wrong with any file of the configuration (exit 7)
Options
-h, --help	display help for command

# bundle
selvage bundle [options] create ID [PATH…] | verify ID | inspect ID
sign files together, and check them
Options
-h, --help	display help for command
Commands
create [options] <id> [paths...]	write and sign .ai/bundles/ID/manifest.yaml
verify [options] <id>	name every file that changed or is missing, and a wrong signer (exit 1)
inspect <id>	what a manifest says, without a look at its files

# bundle create
selvage bundle create [options] <id> [paths...]
write and sign .ai/bundles/ID/manifest.yaml
Arguments
id	id of the bundle: lower-case letters, digits and . _ -
paths	files and folders of this project; without one, all that stands in .ai/
Options
--bundle-version <text>	version of the bundle (1.0.0)
--description <text>	what it is for
--force	make it anew where it exists
-h, --help	display help for command

# bundle verify
selvage bundle verify [options] <id>
name every file that changed or is missing, and a wrong signer (exit 1)
Arguments
id	id of the bundle
Options
--key <signer>	only this signer counts: a name of signer ls, or a key
--strict	also name what lies beside it and is not covered
-h, --help	display help for command

# bundle inspect
selvage bundle inspect [options] <id>
what a manifest says, without a look at its files
Arguments
id	id of the bundle
Options
-h, --help	display help for command

# sign
selvage sign [options] <items...>
vouch for items with your key; selvage verify ITEM checks them
Arguments
items	a path, or directive:NAME, tool:NAME, knowledge:NAME, skill:NAME, bundle:ID
Options
-h, --help	display help for command

# signer
selvage signer [options] ls | add NAME KEY | rm NAME
whose signatures count: your key, and the keys you know
Options
-h, --help	display help for command
Commands
ls	your own key, and those you know
add <name> <key>	let a signer count; ask them for their key by another way
rm <signer>	let a signer count no longer

# signer ls
selvage signer ls [options]
your own key, and those you know
Options
-h, --help	display help for command

# signer add
selvage signer add [options] <name> <key>
let a signer count; ask them for their key by another way
Arguments
name	what you call them
key	their public key, ed25519:…
Options
-h, --help	display help for command

# signer rm
selvage signer rm [options] <signer>
let a signer count no longer
Arguments
signer	a name or a key
Options
-h, --help	display help for command

# serve
selvage serve [options]
host everything in this project until told to stop
Options
--recover <how>	threads that a dead process left: take them up, ask, or leave them (otherwise as the setting recover says) (choices: "auto", "ask", "off")
--chat [platform...]	with the chat bot, on these platforms of chat.yaml or on all; then --recover is auto unless it is said
--chat-port <port>	where platforms send to (otherwise as chat.yaml says: 4780)
--chat-host <address>	the address of this machine that is listened on (127.0.0.1)
--stop	end the one that runs; threads under way lose nothing
-h, --help	display help for command

# service
selvage service [options] install | status | logs | remove
run this project's host under systemd
Options
-h, --help	display help for command
Commands
install [options]	write the unit, show it, and start it
status [options]	whether it runs, since when, and what its threads do
logs [options]	what it said
remove [options]	stop it and remove the unit; threads and their work stay

# service install
selvage service install [options]
write the unit, show it, and start it
Options
--user	of this user's systemd, which needs no root (the default)
--system	of the machine's, as this user
--chat [platform...]	with the chat bot, on these platforms of chat.yaml or on all
--env-file <file>	variables for the host, such as keys and tokens; read at each start
--dry-run	only show the unit
-h, --help	display help for command

# service status
selvage service status [options]
whether it runs, since when, and what its threads do
Options
--user	of this user's systemd, which needs no root (the default)
--system	of the machine's, as this user
-h, --help	display help for command

# service logs
selvage service logs [options]
what it said
Options
--user	of this user's systemd, which needs no root (the default)
--system	of the machine's, as this user
-f, --follow	go on as it says more
-n <count>	the last lines (default: 100)
-h, --help	display help for command

# service remove
selvage service remove [options]
stop it and remove the unit; threads and their work stay
Options
--user	of this user's systemd, which needs no root (the default)
--system	of the machine's, as this user
--dry-run	only say what would be removed
-h, --help	display help for command

# doctor
selvage doctor [options]
check this machine and this project, and say what to do
Options
--fix	mend what can be mended without losing anything
--strict	exit 1 for warnings too
--offline	ask nobody over the network
--bundle <file>	write the report and what belongs to it into an archive, without secrets
-h, --help	display help for command

# verify
selvage verify [options] [items...]
check every journal and every figure that follows from it; with items, their signatures
Arguments
items	a path, or directive:NAME, tool:NAME, knowledge:NAME, skill:NAME, bundle:ID
Options
--key <signer>	only this signer counts: a name of signer ls, or a key
-h, --help	display help for command

# export
selvage export [options] [ids...]
hand a run to someone else as one file; or make a thread's own files anew
Arguments
ids	threads
Options
--html	one page that asks nobody for anything
--md	Markdown
--chain	with all threads of its chain
--redact	also without what tools were given and said, and who answered
-o, --output <file>	into this file; - is stdout
--files	the files in .ai/threads/ID/, from the store
--all	with --files: of every thread
-h, --help	display help for command

# prune
selvage prune [options]
delete threads that ended long ago, whole trees and chains only
Options
--older-than <age>	only what ended before: 30d, 12h, 2026-11-16 (default: "30d")
--keep-failed	not those in which a thread failed
--dry-run	only show what would go
--confirm <count>	yes to deleting exactly this many threads
-h, --help	display help for command

# schema
selvage schema [options] [kind]
JSON Schema of what --json and --jsonl print; without a kind, the kinds there are
Arguments
kind	such as thread.result
Options
--ts	TypeScript types instead; without a kind, all of them
-h, --help	display help for command

# completion
selvage completion [options] <shell>
a script that completes commands, flags, ids and names in a shell
Arguments
shell	bash, zsh, fish, pwsh
Options
--install	put it where the shell looks for it
-h, --help	display help for command

# explain
selvage explain [options] [code]
what an error code means and what to do
Arguments
code	such as E_LOCKED; without one, all of them
Options
-h, --help	display help for command

# explain-denial
selvage explain-denial [options] <id> <right>
whether a thread may do something, why, and what would allow it
Arguments
id	a thread: its id, a unique beginning of it, or @last
right	a right, such as execute.tool.bash, or the name of a tool
Options
-h, --help	display help for command

# help
selvage help [options] [topic]
help for a command; \`help exit-codes\` lists the exit codes
Arguments
topic	a command, or exit-codes
Options
-h, --help	display help for command
`;
