/** The commands as `--help` lists them. Made by `npm run docs`: change the commands, not this file. */
export const LISTED = `
init [options] [folder]	make a project here, with an example that runs without a key
demo [options]	watch a tree of agents survive a real kill -9 within its budget; no key, no network
run [options] <directive> [inputs...]	start a thread and run it here
status [options]	the project at a glance; also \`selvage\` alone
ps [options] [filters...]	list threads, those that need you first
tree [options] [id]	a tree of threads: waves, state, turns, spend
show [options] <id>	everything about one thread
logs [options] <id>	a thread's journal as a log
events [options]	what happens in the whole project, event by event
chain [options] <id>	the threads in which one piece of work went on
search [options] <query>	where something was said: prompts, answers, calls, results, errors; the newest thread first
replay [options] <id>	run a recorded thread again against its journal, with nothing executed
cost [options] [id]	what threads cost, and what is held for them
stats [options]	what threads did: money, tokens, turns, retries, failures, calls, waits for people
approvals [options] [id]	what waits for you, the oldest first; with an id, one question in full
approve [options] <ids...>	say yes to a question; its thread goes on
deny [options] <ids...>	say no to a question; the work of its thread is kept
resume [options] <id>	let a suspended thread go on, or say more to one that has ended
fork [options] <id>	start a new thread from where another was after a turn
retry [options] <id>	end a wait for another try: ask now, or give up
recover [options] [ids...]	take up threads that a dead process left, or that wait for you
wait [options] <ids...>	until threads have ended, wherever they run
send [options] <id> [text]	say something to a thread; it reads it before its next turn
compact [options] <id>	make the conversation of a thread shorter before its next turn
cancel [options] <ids...>	stop threads and everything below them; their work is kept
budget [options] <id>	limits of a thread against use; change them ahead of time
revoke [options] <id> [rights...]	take rights from a thread; they do not come back
proc [options] [verb]	processes that threads keep: list them, read them, stop them
chat [options]	talk with the project's agent here; what was said is kept, and the next talk goes on from it
rpc [options]	serve a program: JSON lines on standard input and output (docs/rpc.md)
trust [options]	say that you trust what this project would run
directive [options] [verb]	list, show, check and make directives
hooks [options] [verb]	which hooks there are, and which would run
models [options] [verb]	which models there are, and what they cost
classify [options] <text>	what the error classifier makes of a message
config [options] [verb]	settings: what holds and who says so; change and check them
bundle [options] [verb]	sign files together, and check them
sign [options] <items...>	vouch for items with your key; selvage verify ITEM checks them
signer [options] [verb]	whose signatures count: your key, and the keys you know
serve [options]	host everything in this project until told to stop
service [options] [verb]	run this project's host under systemd
doctor [options]	check this machine and this project, and say what to do
verify [options] [items...]	check every journal and every figure that follows from it; with items, their signatures
export [options] [ids...]	hand a run to someone else as one file; or make a thread's own files anew
prune [options]	delete threads that ended long ago, whole trees and chains only
schema [options] [kind]	JSON Schema of what --json and --jsonl print; without a kind, the kinds there are
completion [options] <shell>	a script that completes commands, flags, ids and names in a shell
explain [options] [code]	what an error code means and what to do
explain-denial [options] <id> <right>	whether a thread may do something, why, and what would allow it
help [topic]	help for a command; \`help exit-codes\` lists the exit codes
`;
