// The two trees: recorded devices, and claims with what uses them.
import * as vscode from "vscode";
import type { Claim, Device, DeviceNode, Driver, Fleet, Place } from "./server";

type Item =
  | { type: "fleet"; fleet: Fleet }
  | { type: "driver"; driver: Driver }
  | { type: "node"; node: DeviceNode }
  | { type: "device"; device: Device }
  | { type: "text"; label: string; detail: string };

function inUse(count: number, used: number): string {
  const devices = count === 1 ? "1 device" : `${count} devices`;
  return used ? `${devices}, ${used} in use` : devices;
}

function text(label: string, detail = ""): Item {
  return { type: "text", label, detail };
}

export class InventoryTree implements vscode.TreeDataProvider<Item> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly ask: () => Promise<Fleet[]>) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(item?: Item): Promise<Item[]> {
    switch (item?.type) {
      case undefined: {
        const fleets = await this.ask();
        return fleets.length === 1 ? drivers(fleets[0]) : fleets.map((fleet) => ({ type: "fleet", fleet }));
      }
      case "fleet":
        return drivers(item.fleet);
      case "driver":
        return item.driver.nodes.map((node) => ({ type: "node", node }));
      case "node": {
        const shown: Item[] = item.node.devices.map((device) => ({ type: "device", device }));
        const more = item.node.count - shown.length;
        return more ? [...shown, text(`${more} more devices`)] : shown;
      }
      case "device":
        return Object.entries(item.device.values).map(([name, value]) => text(name, value));
      default:
        return [];
    }
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const closed = vscode.TreeItemCollapsibleState.Collapsed;
    const open = vscode.TreeItemCollapsibleState.Expanded;
    switch (item.type) {
      case "fleet":
        return new vscode.TreeItem(item.fleet.name, open);
      case "driver":
        return look(item.driver.name, open, "circuit-board", inUse(item.driver.count, item.driver.inUse));
      case "node": {
        const icon = item.node.kind === "node" ? "server" : "layers";
        return look(item.node.name, closed, icon, inUse(item.node.count, item.node.inUse));
      }
      case "device": {
        const held = item.device.heldBy;
        return look(item.device.name, closed, held ? "lock" : "chip", held ? `held by ${held}` : "");
      }
      case "text":
        return look(item.label, vscode.TreeItemCollapsibleState.None, undefined, item.detail);
    }
  }
}

function drivers(fleet: Fleet): Item[] {
  if (fleet.drivers === null) {
    return [text("The recording took too long to read")];
  }
  const found: Item[] = fleet.drivers.map((driver) => ({ type: "driver", driver }));
  return fleet.whole ? found : [...found, text("Only the first devices of the recording are shown")];
}

function look(
  label: string,
  state: vscode.TreeItemCollapsibleState,
  icon: string | undefined,
  description: string,
): vscode.TreeItem {
  const made = new vscode.TreeItem(label, state);
  made.description = description;
  made.tooltip = description ? `${label}: ${description}` : label;
  if (icon) {
    made.iconPath = new vscode.ThemeIcon(icon);
  }
  return made;
}

export type ClaimItem =
  | { type: "claim"; claim: Claim }
  | { type: "request"; label: string }
  | { type: "use"; label: string; place: Place };

export class ClaimTree implements vscode.TreeDataProvider<ClaimItem> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly ask: () => Promise<Claim[]>) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(item?: ClaimItem): Promise<ClaimItem[]> {
    if (item === undefined) {
      return (await this.ask()).map((claim) => ({ type: "claim", claim }));
    }
    if (item.type !== "claim") {
      return [];
    }
    const requests: ClaimItem[] = item.claim.requests.map((label) => ({ type: "request", label }));
    const uses: ClaimItem[] = item.claim.usedBy.map((use) => ({
      type: "use",
      label: `${use.kind} ${use.name ?? ""}`.trim(),
      place: use,
    }));
    return [...requests, ...uses];
  }

  getTreeItem(item: ClaimItem): vscode.TreeItem {
    const leaf = vscode.TreeItemCollapsibleState.None;
    switch (item.type) {
      case "claim": {
        const claim = item.claim;
        const short = claim.kind === "ResourceClaim" ? "claim" : "template";
        const where = claim.namespace ? `${short} in ${claim.namespace}` : short;
        const icon = claim.kind === "ResourceClaim" ? "key" : "files";
        const made = look(claim.name, vscode.TreeItemCollapsibleState.Collapsed, icon, where);
        made.contextValue = "claim";
        made.command = open(claim);
        return made;
      }
      case "request":
        return look(item.label, leaf, "symbol-field", "request");
      case "use": {
        const made = look(item.label, leaf, "references", "uses it");
        made.command = open(item.place);
        return made;
      }
    }
  }
}

function open(place: Place): vscode.Command {
  const { start, end } = place.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  return {
    title: "Open",
    command: "vscode.open",
    arguments: [vscode.Uri.parse(place.uri), { selection }],
  };
}
