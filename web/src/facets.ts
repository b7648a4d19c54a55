// Texts of facets; values of the wrong type are left out.
import { facetText, type Facets } from "./records.ts";

/** Returns the names of the owners. */
export function ownersOf(facets: Facets): string[] {
  return itemsOf(facets, "ownership", "owners").map((owner) => String(owner["name"] ?? "")).filter((name) => name !== "");
}

/** Returns the tags of a job as `lineage show` prints them. */
export function tagsOf(facets: Facets): string[] {
  return itemsOf(facets, "tags", "tags").map(({ key, value }) => `${key}${!value || value === "true" ? "" : `:${value}`}`);
}

/** Returns values of a facet, each once, that it has. */
export function joinFacet(facets: Facets, facet: string, keys: readonly string[], separator = ", "): string {
  return [...new Set(keys.map((key) => facetText(facets, facet, key)))].filter((text) => text !== "").join(separator);
}

function itemsOf(facets: Facets, facet: string, key: string): Facets[] {
  const items = (facets[facet] as Facets | undefined)?.[key];
  return Array.isArray(items) ? items.filter((item) => typeof item === "object" && item !== null) : [];
}
