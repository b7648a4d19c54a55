// Files that the reader saves.

/** Saves a file from the browser under a name. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Saves a value as a file of JSON. */
export function saveJson(name: string, value: unknown): void {
  saveFile(name, new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }));
}
