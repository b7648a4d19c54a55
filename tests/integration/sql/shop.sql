-- Tables of the PostgreSQL cases of tests/unit/sql/statements/manuals, each with a row, so that no branch of a script is passed over.
CREATE SCHEMA shop;

CREATE TABLE shop.customers (id int, name text, city text);
CREATE TABLE shop.orders (id int, customer_id int, total numeric, placed timestamptz, state text, doc jsonb);
CREATE TABLE shop.archive (LIKE shop.orders);
CREATE TABLE shop.lines (order_id int, sku text, qty int, price numeric);
CREATE TABLE shop.goods (sku text, name text, price numeric);
CREATE TABLE shop.stock (sku text UNIQUE, qty int);
CREATE TABLE shop.moves (sku text, qty int);
CREATE TABLE shop.daily (day date, total numeric);
CREATE TABLE shop.audit (id int, note text);
CREATE TABLE shop.events (id int, at date) PARTITION BY RANGE (at);

CREATE TABLE public.tree (id int, parent int);
CREATE TABLE public.users (id int, name text, active boolean);
CREATE TABLE public.stock (sku text, qty int);

INSERT INTO shop.customers VALUES (1, 'Ann', NULL);
INSERT INTO shop.orders VALUES (1, 1, 9, '2026-01-01', 'gone', '[{"a": 1}]');
INSERT INTO shop.lines VALUES (1, 'a', 2, 4.5);
INSERT INTO shop.goods VALUES ('a', 'apple', 4.5);
INSERT INTO shop.stock VALUES ('a', 5);
INSERT INTO shop.moves VALUES ('a', 1);
INSERT INTO public.tree VALUES (1, NULL);
INSERT INTO public.users VALUES (1, 'Ann', true);
INSERT INTO public.stock VALUES ('a', 5);
