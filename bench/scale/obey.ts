/** The worker's part of these orders. */
import { postDecisions, sumUp, waitForDecisions } from "./decisions.ts";
import { fillJournal, fillOrphans, fillParked } from "./fill.ts";
import type { ScaleOrder, ScaleReplies } from "./orders.ts";
import { hostParked } from "./parked.ts";
import { resumeLong } from "./resume.ts";
import { playTree } from "./tree.ts";

export function obeyScale(order: ScaleOrder, port: number): Promise<ScaleReplies[ScaleOrder["type"]]> {
  switch (order.type) {
    case "tree":
      return playTree(order.children);
    case "await":
      return waitForDecisions(order.root, order.threads);
    case "awaited":
      return sumUp();
    case "decide":
      return postDecisions(order.root, order.approvals);
    case "resume":
      return resumeLong(port, order);
    case "parked":
      return hostParked(order.root);
    case "park":
      return fillParked(order.path, order.threads);
    case "orphans":
      return fillOrphans(order.path, order.threads);
    case "journal":
      return fillJournal(order.path, order.bytes);
  }
}
