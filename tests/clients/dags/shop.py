"""Stages the orders, and builds tables from them with dbt."""

from __future__ import annotations

import os

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

PARENT = "{{ macros.OpenLineageProviderPlugin.lineage_parent_id(task_instance) }}"
ROOT = "{{ macros.OpenLineageProviderPlugin.lineage_root_parent_id(task_instance) }}"

with DAG("shop", schedule=None):
    stage = SQLExecuteQueryOperator(
        task_id="stage",
        conn_id="shop",
        sql="CREATE TABLE staging.orders AS SELECT customer, amount FROM raw.orders",
    )
    build = BashOperator(
        task_id="build",
        bash_command=os.environ["SHOP_DBT"],
        env={"OPENLINEAGE_PARENT_ID": PARENT, "OPENLINEAGE_ROOT_PARENT_ID": ROOT},
        append_env=True,
    )
    stage >> build
