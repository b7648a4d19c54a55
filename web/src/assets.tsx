// The nodes of graph models that a dataset or a job is.
import { Name } from "./components.tsx";
import type { Asset } from "./records.ts";
import { showName } from "./text.ts";

/** The type of each node with its id; the id leads to its page in the system, if that is a page of the web. */
export function AssetsList(props: { assets: readonly Asset[] }) {
  return (
    <ul class="assets" aria-label="Assets">
      {props.assets.map((asset) => (
        <li>
          <strong>{showName(asset.node_type)}</strong> <small>{showName(asset.system)}{asset.environment && `, ${showName(asset.environment)}`}</small>
          {" "}<AssetLink asset={asset} />
        </li>
      ))}
    </ul>
  );
}

function AssetLink({ asset }: { asset: Asset }) {
  const id = <Name name={asset.node_id} most={90} />;
  if (asset.url === null) return id;
  if (!/^https?:\/\//i.test(asset.url)) return <>{id} <Name name={asset.url} /></>;
  return <a href={asset.url} rel="noreferrer noopener external">{id}</a>;
}
